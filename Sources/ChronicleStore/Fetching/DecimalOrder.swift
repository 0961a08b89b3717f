import ChronicleSQL
import ChronicleSQLite
import Foundation

/// The order of the texts that `Decimal` attributes are stored as, which is that of the numbers.
enum DecimalOrder {
    static func collated(_ text: SQLQuery) -> SQLQuery { "\(text) COLLATE \(raw: collation.name)" }

    static let collation = SQLCollation("chronicle_decimal") { compare(Number($0), Number($1)) }

    /// `Decimal.description` never uses an exponent.
    private struct Number {
        enum Kind: Int {
            /// `Decimal` orders NaN before all numbers.
            case nan, number, text
        }

        let text: SQLCollation.Text
        var kind = Kind.number
        var isNegative = false
        /// The digits without leading zeros.
        var whole: Slice<SQLCollation.Text>
        /// The digits without trailing zeros.
        var fraction: Slice<SQLCollation.Text>

        init(_ text: SQLCollation.Text) {
            self.text = text
            var rest = text[...]
            if rest.first == UInt8(ascii: "-") {
                isNegative = true
                rest.removeFirst()
            }
            whole = rest.prefix { $0 != UInt8(ascii: ".") }
            fraction = rest.dropFirst(whole.count + 1)
            let isNumber =
                !rest.isEmpty && [whole, fraction].allSatisfy { $0.allSatisfy { (0x30...0x39).contains($0) } }
            guard isNumber else {
                kind = text.elementsEqual("NaN".utf8) ? .nan : .text
                return
            }
            whole = whole.drop { $0 == 0x30 }
            while fraction.last == 0x30 { fraction.removeLast() }
            if whole.isEmpty, fraction.isEmpty { isNegative = false }
        }
    }

    private static func compare(_ a: Number, _ b: Number) -> Int {
        guard a.kind == .number, b.kind == .number else {
            if a.kind != b.kind { return a.kind.rawValue - b.kind.rawValue }
            return a.kind == .text ? order(a.text[...], b.text[...]) : 0
        }
        if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
        let size =
            a.whole.count != b.whole.count
            ? a.whole.count - b.whole.count : order(a.whole, b.whole)
        let result = size != 0 ? size : order(a.fraction, b.fraction)
        return a.isNegative ? -result : result
    }

    private static func order(_ a: Slice<SQLCollation.Text>, _ b: Slice<SQLCollation.Text>) -> Int {
        for (first, second) in zip(a, b) where first != second { return Int(first) - Int(second) }
        return a.count - b.count
    }
}
