import ChronicleCore

/// A value in SQL, and what has to be known of it to compare it as Swift does.
struct SQLOperand {
    var sql: SQLQuery
    var form: Form
    /// Whether NULL stands for nil. Where it does not, there is no NULL but for what would have stopped Swift: a division
    /// by zero, a nil unwrapped by force. That makes every condition on it NULL, which matches nothing.
    var isOptional = false
    var nan = NaN.none
    /// The value, when it is known.
    var constant: PropertyValue?

    enum Form: Equatable {
        case integer, real, text, blob
        /// The primary key of an entity's row.
        case reference(String)
        /// A nil of any type.
        case null
    }

    /// What stands for a NaN, which SQLite does not have.
    enum NaN {
        /// It cannot be one.
        case none
        /// A blob, as in columns. Blobs are greater than all numbers. https://www.sqlite.org/datatype3.html#comparisons
        case blob
        /// NULL, as in SQLite's calculations: what is calculated from it is NULL again, as with NaN.
        case null
    }
}

extension SQLOperand {
    init(constant value: PropertyValue) {
        constant = value
        sql = "\(value: value)"
        switch value {
        case .null: (form, isOptional, sql) = (.null, true, "NULL")
        case .integer: form = .integer
        case .real(let number):
            form = .real
            if number.isNaN { (nan, sql) = (.blob, Self.blobNaN) }
        case .text: form = .text
        case .blob, .references: form = .blob
        case .reference(let identifier): form = .reference(identifier.entityName)
        }
    }

    var isNaN: Bool {
        if case .real(let number) = constant { number.isNaN } else { false }
    }

    var isNull: Bool { constant?.isNull == true }

    /// Any blob will do: that it is one is all that is ever asked.
    private static let blobNaN: SQLQuery = "x''"

    /// The same with a blob for NaN, so that NULL is nil and nothing else.
    var storable: SQLOperand {
        guard nan == .null else { return self }
        var result = self
        result.sql = "ifnull(\(sql), \(Self.blobNaN))"
        result.nan = .blob
        return result
    }

    /// The same with NULL for NaN, to calculate with.
    var calculable: SQLOperand {
        guard nan == .blob else { return self }
        var result = self
        result.sql = isNaN ? "NULL" : "iif(\(sql) <= \(Self.infinity), \(sql), NULL)"
        result.nan = .null
        return result
    }

    /// The greatest number, after which the blobs come.
    static let infinity: SQLQuery = "9e999"
}
