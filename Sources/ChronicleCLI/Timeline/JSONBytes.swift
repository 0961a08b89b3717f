/// JSON as UTF-8 that is safe within a `<script>` element: it contains no `<`.
///
/// It is written piece by piece, because ``JSON`` values of a whole history would take several times its memory.
struct JSONBytes {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// Appends JSON that is already encoded.
    mutating func append(raw json: StaticString) {
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ json: JSONBytes) { bytes.append(contentsOf: json.bytes) }

    mutating func append(_ number: some FixedWidthInteger) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a number, or a string if JSON cannot represent it.
    mutating func append(_ number: Double) {
        guard number.isFinite else { return append("\(number)") }
        bytes.append(contentsOf: number.description.utf8)
    }

    mutating func append(_ text: some StringProtocol) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            // `<` could end the script element, or begin a comment in it.
            // https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
            case 0..<0x20, UInt8(ascii: "<"):
                bytes.append(contentsOf: "\\u00".utf8)
                let digits = String(byte, radix: 16)
                if digits.utf8.count < 2 { bytes.append(UInt8(ascii: "0")) }
                bytes.append(contentsOf: digits.utf8)
            default: bytes.append(byte)
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

/// The elements of a JSON array.
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

    /// Appends an element that a closure writes.
    mutating func append(_ write: (inout JSONBytes) -> Void) {
        if elements.count > 0 { elements.append(raw: ",") }
        write(&elements)
    }

    mutating func append(_ number: some FixedWidthInteger) { append { $0.append(number) } }
}
