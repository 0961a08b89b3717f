import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

/// Values as SQL.
enum SQLLiteral {
    /// Returns the literal of exactly this value, as a column contains it, or `nil` if there is none.
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
    private let check: Statement
    /// A text that is written as its bytes has the encoding of the database.
    private let encoding: String

    init(_ connection: Connection) throws {
        check = try connection.prepare("SELECT CAST(? AS REAL)")
        encoding = try connection.scalarText("PRAGMA encoding") ?? ""
    }

    func literal(_ statement: Statement, _ column: Int32) throws -> String {
        switch statement.storageClass(column) {
        case .null: return "NULL"
        case .integer: return String(statement.int64(column))
        case .real: return try literal(statement.double(column))
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

    /// Some versions of SQLite read the last digits of a decimal number inexactly. Such a number is written as an integer that
    /// is multiplied or divided by powers of two, which is exact.
    private func literal(_ real: Double) throws -> String {
        guard real.isFinite, let text = SQLLiteral.text(.real(real)) else { return real < 0 ? "-9e999" : "9e999" }
        let digits = text.prefix { $0 != "e" }.count(where: \.isNumber)
        if digits <= 15, real == 0 || real.magnitude > 1e-15, real.magnitude < 1e15 { return text }
        defer { check.reset() }
        try check.bind(text, at: 1)
        if try check.step(), check.double(0).bitPattern == real.bitPattern { return text }
        var significand = real.significandBitPattern
        if real.isNormal { significand |= 1 << 52 }
        var exponent = (real.isNormal ? Int(real.exponentBitPattern) : 1) - 1_075
        var factors = ""
        while exponent != 0 {
            let step = min(exponent.magnitude, 62)
            factors += " \(exponent < 0 ? "/" : "*") \(Int64(1) << step).0"
            exponent += exponent < 0 ? Int(step) : -Int(step)
        }
        return "(\(real < 0 ? "-" : "")\(significand).0\(factors))"
    }
}
