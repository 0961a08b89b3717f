import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import Foundation

// Values inside JSON that SQLite cannot read exactly: it does not convert every decimal number to the nearest real, and
// it has no UUIDs, no Base64 and no decimals.
extension PredicateFunctions {
    /// Returns JSON text, or NULL, in the form of an attribute.
    static func json(_ value: SQLQuery, _ form: JSONForm) -> SQLQuery {
        "\(raw: json.name)(\(value), \(raw: String(code(of: form))))"
    }

    /// Returns the elements of an array of numbers or strings as an array of strings with the JSON of each.
    static func elements(_ array: SQLQuery) -> SQLQuery { "\(raw: elements.name)(\(array))" }

    /// The functions of SQLite end a text at U+0000, so that the value at `path` of `json` is decoded if it may contain
    /// one.
    static func text(_ value: SQLQuery, in json: SQLQuery, at path: SQLQuery) -> SQLQuery {
        "iif(instr(\(json), '\\u0000') = 0, \(value), \(self.json("\(json) -> \(path)", .text)))"
    }

    /// Whether SQLite returns the value exactly in the form of an attribute, except for U+0000.
    static func isExact(_ form: JSONForm) -> Bool {
        switch form {
        case .text, .integer, .json: true
        case .real, .float, .decimal, .uuid, .data: false
        }
    }

    private static let forms: [JSONForm] = [.real, .float, .decimal, .uuid, .data, .text, .integer, .json]

    private static func code(of form: JSONForm) -> Int64 { Int64(forms.firstIndex(of: form) ?? 0) }

    static let json = SQLFunction("chronicle_json", argumentCount: 2) { call in
        guard let utf8 = call.text(0) else { return nil }
        return switch JSONText(utf8).value(forms[Int(call.integer(1))]) {
        case .integer(let integer): .integer(integer)
        case .real(let number): real(number)
        case .text(let text): .text(text)
        case .blob(let data): .blob(Array(data))
        case .null, .reference, .references: nil
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
