import ChronicleCore
import ChronicleSQLite

/// A value in SQL, with the properties that are required to compare it as Swift does.
struct SQLOperand {
    var sql: SQLQuery
    /// The storage class of values that are not nil; ``StorageClass/null`` for a nil of any type.
    var storageClass: StorageClass
    /// The entity whose primary keys the values are, or `nil` for other values.
    var entityName: String?
    /// Whether NULL represents nil. Otherwise, NULL occurs only where Swift would trap: after a division by zero or
    /// force-unwrapping nil. Every condition on it is then NULL, which matches nothing.
    var isOptional = false
    var nan = NaN.none
    /// The value, if it is a constant.
    var constant: PropertyValue?

    /// The representation of NaN, which SQLite does not support.
    enum NaN {
        /// The value cannot be NaN.
        case none
        /// A blob, as in columns. Blobs are greater than all numbers. https://www.sqlite.org/datatype3.html#comparisons
        case blob
        /// NULL, as in SQLite's arithmetic: like NaN, it propagates through calculations.
        case null
    }
}

extension SQLOperand {
    /// Creates an operand for the primary keys of an entity.
    init(key sql: SQLQuery, of entityName: String, isOptional: Bool = false) {
        self.init(sql: sql, storageClass: .integer, entityName: entityName, isOptional: isOptional)
    }

    init(constant value: PropertyValue) {
        constant = value
        sql = "\(value: value)"
        switch value {
        case .null: (storageClass, isOptional, sql) = (.null, true, "NULL")
        case .integer: storageClass = .integer
        case .real(let number):
            storageClass = .real
            if number.isNaN { (nan, sql) = (.blob, Self.blobNaN) }
        case .text: storageClass = .text
        case .blob, .references: storageClass = .blob
        case .reference(let identifier): (storageClass, entityName) = (.integer, identifier.rootEntityName)
        }
    }

    var isNaN: Bool {
        if case .real(let number) = constant { number.isNaN } else { false }
    }

    var isNull: Bool { constant?.isNull == true }

    /// The bytes of a NaN in a column, which batch updates write. Comparisons only depend on the type.
    private static let blobNaN: SQLQuery = "x'7ff8000000000000'"

    /// The operand with a blob for NaN, so that NULL only represents nil.
    var storable: SQLOperand {
        guard nan == .null else { return self }
        var result = self
        result.sql = "ifnull(\(sql), \(Self.blobNaN))"
        result.nan = .blob
        return result
    }

    /// The operand with NULL for NaN, for calculations.
    var calculable: SQLOperand {
        guard nan == .blob else { return self }
        var result = self
        result.sql = isNaN ? "NULL" : "iif(\(sql) <= \(Self.infinity), \(sql), NULL)"
        result.nan = .null
        return result
    }

    /// The greatest number; blobs are greater.
    static let infinity: SQLQuery = "9e999"
}
