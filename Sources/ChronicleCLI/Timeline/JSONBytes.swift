import Chronicle

/// JSON as UTF-8 that is safe in a terminal and within a `<script>` element: it contains no control characters and no `<`.
/// It is written piece by piece, because ``JSON`` values of a whole history would take several times its memory.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []
    private let isInScript: Bool

    init(isInScript: Bool = true) { self.isInScript = isInScript }

    var count: Int { bytes.count }

    mutating func append(raw json: StaticString) {
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ json: JSONBytes) { bytes.append(contentsOf: json.bytes) }

    mutating func append(_ number: some FixedWidthInteger) { bytes.append(contentsOf: String(number).utf8) }

    /// A string if JSON cannot represent the number.
    mutating func append(_ number: Double) {
        guard number.isFinite else { return append("\(number)") }
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func append(_ text: some StringProtocol) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            // `<` could end the script element, or begin a comment in it.
            // https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
            case "<" where isInScript: JSONEscaping.append(scalar, to: &bytes)
            case _ where scalar.isTerminalControl: JSONEscaping.append(scalar, to: &bytes)
            case _ where scalar.isASCII: bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func append(_ texts: some Sequence<String>) {
        append(raw: "[")
        var isFirst = true
        for text in texts {
            if !isFirst { append(raw: ",") }
            append(text)
            isFirst = false
        }
        append(raw: "]")
    }
}

struct JSONColumn {
    private var elements = JSONBytes()

    var count: Int { elements.count }
    var array: JSONBytes {
        var array = JSONBytes()
        array.append(raw: "[")
        array.append(elements)
        array.append(raw: "]")
        return array
    }

    mutating func append(_ write: (inout JSONBytes) -> Void) {
        if elements.count > 0 { elements.append(raw: ",") }
        write(&elements)
    }

    mutating func append(_ number: some FixedWidthInteger) { append { $0.append(number) } }
}
