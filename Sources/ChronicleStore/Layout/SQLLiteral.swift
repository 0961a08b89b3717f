import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

/// Values as SQL.
enum SQLLiteral {
    /// Returns the literal of this value for the default of a column, or `nil` if there is none.
    static func text(_ value: PropertyValue) -> String? {
        switch value {
        case .null, .reference, .references: nil
        case .integer(let integer): String(integer)
        case .real(let real):
            // SQLite reads a number that is too large as infinity.
            real.isNaN
                ? withUnsafeBytes(of: real.bitPattern.bigEndian) { hexadecimal($0) }
                : real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : "\(real)"
        case .text(let text):
            text.utf8.contains(0)
                ? "CAST(\(hexadecimal(text.utf8)) AS TEXT)" : SQLQuery.literal(text)
        case .blob(let data): hexadecimal(data)
        }
    }

    /// Returns an expression that every version of SQLite reads as exactly this value, or `nil` if there is none.
    ///
    /// A number whose decimal digits some version may read inexactly is an integer that is multiplied or divided by powers of
    /// two, which is exact. ALTER TABLE does not accept such an expression as a default.
    static func expression(_ value: PropertyValue) -> String? {
        guard case .real(let real) = value, real.isFinite, !hasExactDigits(real) else { return text(value) }
        var significand = real.significandBitPattern
        if real.isNormal { significand |= 1 << 52 }
        var exponent = (real.isNormal ? Int(real.exponentBitPattern) : 1) - 1_075
        var factors = ""
        while exponent != 0 {
            // Powers of at most 15 digits.
            let step = min(exponent.magnitude, 49)
            factors += " \(exponent < 0 ? "/" : "*") \(Int64(1) << step).0"
            exponent += exponent < 0 ? Int(step) : -Int(step)
        }
        return "(\(real < 0 ? "-" : "")\(significand)\(factors))"
    }

    /// Whether each version of SQLite reads the description of this finite number exactly.
    ///
    /// Versions multiply or divide the digits by a power of ten, as numbers with 53 or more bits. If both are integers that a
    /// `Double` contains exactly, that is one operation, and it gives this number, unless the exact result is so close to the
    /// middle between two numbers that rounding it twice differs.
    private static func hasExactDigits(_ real: Double) -> Bool {
        let parts = "\(real.magnitude)".split(separator: "e")
        let digits = parts[0].split(separator: ".")
        let fraction = digits.count > 1 && digits[1] != "0" ? digits[1] : ""
        guard let integer = Int64(digits[0] + fraction), integer <= 1 << 53 else { return false }
        let exponent = (parts.count > 1 ? Int(parts[1]) ?? .max : 0) - fraction.count
        guard exponent.magnitude <= 22 else { return false }
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * 10 }
        let ulp = real.magnitude.ulp
        return exponent < 0
            ? Double(integer).addingProduct(-real.magnitude, power).magnitude <= 0.499 * ulp * power
            : (-real.magnitude).addingProduct(Double(integer), power).magnitude <= 0.499 * ulp
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var text = "x'"
        for byte in bytes {
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return text + "'"
    }
}

/// Reads values of rows as literals, for scripts that another version of SQLite runs. They contain no control characters,
/// because the script may be shown in a terminal.
struct SQLLiteralReader {
    /// A text that is written as its bytes has the encoding of the database.
    private let encoding: String

    init(_ connection: Connection) throws {
        encoding = try connection.scalarText("PRAGMA encoding") ?? ""
    }

    func literal(_ statement: Statement, _ column: Int32) -> String {
        switch statement.storageClass(column) {
        case .null: return "NULL"
        case .integer: return String(statement.int64(column))
        case .real: return SQLLiteral.expression(.real(statement.double(column))) ?? "NULL"
        case .blob: return statement.withBlob(column) { SQLLiteral.hexadecimal($0) }
        case .text: return statement.withText(column) { literal($0) }
        }
    }

    private func literal(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
        if let text = String(validating: utf8, as: UTF8.self), !text.unicodeScalars.contains(where: \.isTerminalControl)
        {
            return SQLQuery.literal(text)
        }
        let text = String(decoding: utf8, as: UTF8.self)
        let bytes: any Sequence<UInt8> =
            switch encoding {
            case "UTF-16le": text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            case "UTF-16be": text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
            default: utf8
            }
        return "CAST(\(SQLLiteral.hexadecimal(bytes)) AS TEXT)"
    }
}
