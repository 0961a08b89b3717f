import Foundation

/// A value in the JSON text of an attribute, for stores whose database cannot compare its parts exactly.
///
/// Unlike a decoder, it keeps the text of each part, which determines the stored form of a member: numbers are not rounded, and a
/// string may contain U+0000. The text must be valid JSON, as `JSONCoding` writes it; other text has no members and no elements.
public struct JSONText {
    private let utf8: ArraySlice<UInt8>

    /// Creates a value from JSON.
    ///
    /// - Parameter text: The JSON text.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public init(_ text: String) { self.init(utf8: Array(text.utf8)[...]) }

    /// Creates a value from JSON.
    ///
    /// - Parameter utf8: The UTF-8 of the JSON text, which is copied.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public init(_ utf8: UnsafeBufferPointer<UInt8>) { self.init(utf8: Array(utf8)[...]) }

    private init(utf8: ArraySlice<UInt8>) {
        let start = utf8.drop(while: Self.isSpace)
        self.utf8 = start.prefix(start.count - start.reversed().prefix(while: Self.isSpace).count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }

    private var text: String { String(decoding: utf8, as: UTF8.self) }

    private var isNull: Bool { utf8.elementsEqual("null".utf8) }

    /// Returns the value of a member of an object.
    ///
    /// - Parameter key: The name of the member.
    /// - Returns: The value of the member, or `nil` if this value is not an object that has it.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public subscript(key: String) -> JSONText? {
        guard utf8.first == UInt8(ascii: "{") else { return nil }
        return parts.first { part in
            part.key.map { JSONText(utf8: $0).string.map { $0.hasSameBytes(as: key) } == true } == true
        }.map { JSONText(utf8: $0.value) }
    }

    /// The elements of an array; empty for other values.
    ///
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public var elements: [JSONText] {
        utf8.first == UInt8(ascii: "[") ? parts.map { JSONText(utf8: $0.value) } : []
    }

    /// Returns the value in the form of an attribute.
    ///
    /// - Parameter form: The form in which JSON contains the values of the attribute's type.
    /// - Returns: The value; null for the JSON value null, and for a value of another form.
    public func value(_ form: JSONForm) -> PropertyValue {
        if isNull { return .null }
        switch form {
        case .text: return string.map { .text($0) } ?? .null
        case .integer: return integer.map { .integer($0) } ?? .null
        case .real: return real.map { .real($0) } ?? .null
        case .float: return Float(unquoted).map { .real(Double($0)) } ?? .null
        case .decimal: return Decimal(string: unquoted, locale: Self.posix).map { .text($0.description) } ?? .null
        case .uuid:
            return UUID(uuidString: unquoted).map { uuid in withUnsafeBytes(of: uuid.uuid) { .blob(Data($0)) } }
                ?? .null
        case .data: return Data(base64Encoded: string ?? "").map { .blob($0) } ?? .null
        case .json: return .text(text)
        }
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    // MARK: Forms

    private var integer: Int64? {
        switch text {
        case "true": 1
        case "false": 0
        case let text: Int64(text) ?? Double(text).flatMap(Int64.init(exactly:))
        }
    }

    private var real: Double? {
        switch unquoted {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case "NaN": .nan
        case let text: Double(text)
        }
    }

    private var unquoted: String { string ?? text }

    private var string: String? {
        guard utf8.count > 1, utf8.first == UInt8(ascii: "\""), utf8.last == UInt8(ascii: "\"") else { return nil }
        let content = utf8.dropFirst().dropLast()
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        var (result, units): ([UInt8], [UInt16]) = ([], [])
        var rest = content
        /// Ends a sequence of `\u` escapes, which may be the halves of surrogate pairs.
        func append(_ bytes: some Sequence<UInt8>) {
            if !units.isEmpty { result += Array(String(decoding: units, as: UTF16.self).utf8) }
            units = []
            result += bytes
        }
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                append(CollectionOfOne(byte))
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "u"):
                guard let unit = UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) else { return nil }
                units.append(unit)
                rest = rest.dropFirst(4)
            case UInt8(ascii: "n"): append(CollectionOfOne(0x0A))
            case UInt8(ascii: "r"): append(CollectionOfOne(0x0D))
            case UInt8(ascii: "t"): append(CollectionOfOne(0x09))
            case UInt8(ascii: "b"): append(CollectionOfOne(0x08))
            case UInt8(ascii: "f"): append(CollectionOfOne(0x0C))
            case let escaped?: append(CollectionOfOne(escaped))
            case nil: return nil
            }
        }
        append(EmptyCollection())
        return String(decoding: result, as: UTF8.self)
    }

    // MARK: Parts

    private var parts: [(key: ArraySlice<UInt8>?, value: ArraySlice<UInt8>)] {
        var parts: [(key: ArraySlice<UInt8>?, value: ArraySlice<UInt8>)] = []
        var (key, start, index) = (ArraySlice<UInt8>?.none, utf8.startIndex + 1, utf8.startIndex + 1)
        let end = utf8.endIndex - 1
        var depth = 0
        while index < end {
            switch utf8[index] {
            case UInt8(ascii: "\""):
                index += 1
                while index < end, utf8[index] != UInt8(ascii: "\"") {
                    index += utf8[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ":") where depth == 0:
                key = utf8[start..<index]
                start = index + 1
            case UInt8(ascii: ",") where depth == 0:
                parts.append((key, utf8[start..<index]))
                (key, start) = (nil, index + 1)
            default: break
            }
            index += 1
        }
        let last = utf8[start..<max(start, end)]
        if !last.allSatisfy(Self.isSpace) { parts.append((key, last)) }
        return parts
    }
}
