import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import Foundation

// Values inside JSON that SQLite cannot read exactly: it does not convert every decimal number to the nearest real, and
// it has no UUIDs, no Base64 and no decimals.
extension PredicateFunctions {
    /// Returns a value in the form of an attribute.
    ///
    /// - Parameters:
    ///   - value: JSON text, or NULL.
    ///   - form: The form of the value.
    static func json(_ value: SQLQuery, _ form: JSONForm) -> SQLQuery {
        "\(raw: json.name)(\(value), \(raw: String(code(of: form))))"
    }

    /// Returns the elements of an array of numbers or strings as an array of strings that contain the JSON of each.
    static func elements(_ array: SQLQuery) -> SQLQuery { "\(raw: elements.name)(\(array))" }

    /// Whether `json_extract` and `json_each` return exactly the value in the form of an attribute.
    static func isExact(_ form: JSONForm) -> Bool {
        switch form {
        case .text, .integer, .json: true
        case .real, .float, .decimal, .uuid, .data: false
        }
    }

    private static func code(of form: JSONForm) -> Int64 {
        switch form {
        case .text, .integer, .json, .real: 0
        case .float: 1
        case .decimal: 2
        case .uuid: 3
        case .data: 4
        }
    }

    static let json = SQLFunction("chronicle_json", argumentCount: 2) { call in
        guard let utf8 = call.text(0) else { return nil }
        var text = String(decoding: utf8, as: UTF8.self)
        if text == "null" { return nil }
        // The strings of these forms contain no characters that need an escape sequence, except that a slash may have
        // one.
        if text.first == "\"" { text = String(text.dropFirst().dropLast()).replacing("\\/", with: "/") }
        switch call.integer(1) {
        case 0: return real(text).map(real)
        case 1: return Float(text).map { real(Double($0)) }
        case 2: return Decimal(string: text, locale: posix).map { .text($0.description) }
        case 3: return UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { .blob(Array($0)) } }
        case 4: return Data(base64Encoded: text).map { .blob(Array($0)) }
        default: return nil
        }
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    private static func real(_ text: String) -> Double? {
        switch text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    /// A NaN is a blob, as in columns.
    private static func real(_ number: Double) -> SQLFunction.Result {
        guard number.isNaN else { return .real(number) }
        return withUnsafeBytes(of: Double.nan.bitPattern.bigEndian) { .blob(Array($0)) }
    }

    static let elements = SQLFunction("chronicle_elements", argumentCount: 1) { call in
        guard let utf8 = call.text(0) else { return nil }
        var result: [UInt8] = []
        var isOpen = false
        func quote() { result.append(UInt8(ascii: "\"")) }
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                if byte == UInt8(ascii: "[") { result.append(byte) }
            case UInt8(ascii: ","), UInt8(ascii: "]"):
                if isOpen { quote() }
                isOpen = false
                result.append(byte)
            default:
                if !isOpen { quote() }
                isOpen = true
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
                result.append(byte)
            }
        }
        return .text(String(decoding: result, as: UTF8.self))
    }
}
