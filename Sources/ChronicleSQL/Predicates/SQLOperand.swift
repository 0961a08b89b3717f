public import ChronicleCore

/// A value in SQL, with the properties that are required to compare it as Swift does.
///
/// A ``PredicateSource`` returns one for each path of a predicate, and a ``SQLDialect`` for each calculation.
public struct SQLOperand: Sendable {
    /// The expression.
    public var sql: SQLQuery
    /// The type of the values that are not nil; ``SQLType/null`` for a nil of any type.
    public var type: SQLType
    /// The name of the root entity whose primary keys the values are, or `nil` for other values.
    public var entityName: String?
    /// Whether NULL represents nil. Otherwise, it represents an undefined value, of a division by zero, an overflow, or
    /// force-unwrapping nil; every condition on it is NULL, which matches nothing.
    public var isOptional: Bool
    /// The representation of NaN.
    public var nan: NaN
    /// The value, if it is a constant.
    public var constant: PropertyValue?
    /// Whether the database can represent the constant; see ``SQLDialect/canRepresent(_:)``.
    var isRepresentable = true
    /// The result of a calculation with integers before its check for an overflow, if further calculations may precede the
    /// check.
    public var unchecked: SQLQuery?
    /// An expression that programs may have an index of; see ``SQLDialect/indexedMember(_:of:_:)``.
    var indexed: SQLQuery?
    var mayBeUndefined = false
    /// The condition that the value is defined, if NULL does not tell because it represents nil or NaN. It is not NULL.
    var definition: SQLQuery?

    /// The representation of NaN in a value.
    public enum NaN: Sendable {
        /// The value cannot be NaN.
        case none
        /// A value that is greater than all numbers, as in columns. It equals itself, unlike in Swift.
        case stored
        /// NULL, in calculations of a database whose numbers have no NaN: like NaN, it propagates.
        case null
    }

    /// Creates an operand.
    ///
    /// - Parameters:
    ///   - sql: The expression.
    ///   - type: The type of the values that are not nil.
    ///   - entityName: The name of the root entity whose primary keys the values are.
    ///   - isOptional: Whether NULL represents nil.
    ///   - nan: The representation of NaN.
    public init(
        sql: SQLQuery, type: SQLType, entityName: String? = nil, isOptional: Bool = false, nan: NaN = .none
    ) {
        self.sql = sql
        self.type = type
        self.entityName = entityName
        self.isOptional = isOptional
        self.nan = nan
    }

    /// Creates an operand for the primary keys of an entity.
    ///
    /// - Parameters:
    ///   - sql: The expression.
    ///   - entityName: The name of the root entity.
    ///   - isOptional: Whether NULL represents nil.
    public init(key sql: SQLQuery, of entityName: String, isOptional: Bool = false) {
        self.init(sql: sql, type: .integer, entityName: entityName, isOptional: isOptional)
    }

    /// Creates an operand for a constant.
    ///
    /// - Parameters:
    ///   - value: The constant.
    ///   - dialect: The dialect of the database.
    public init(constant value: PropertyValue, _ dialect: some SQLDialect) {
        self.init(sql: "NULL", type: .null)
        constant = value
        switch value {
        case .null: isOptional = true
        case .integer: type = .integer
        case .real(let number):
            type = .real
            if number.isNaN { nan = .stored }
        case .text: type = .text
        case .blob, .references: type = .blob
        case .reference(let identifier): (type, entityName) = (.integer, identifier.rootEntityName)
        }
        if !isNull { sql = isNaN ? dialect.nan : dialect.constant(value) }
        isRepresentable = dialect.canRepresent(value)
    }

    /// Whether the value is the constant NaN.
    public var isNaN: Bool {
        if case .real(let number) = constant { number.isNaN } else { false }
    }

    /// Whether the value is the constant nil.
    public var isNull: Bool { constant?.isNull == true }
}

extension SQLOperand {
    /// `nil` if the value is always defined.
    var isDefined: SQLQuery? {
        definition ?? (mayBeUndefined && !isOptional && nan != .null ? "\(sql) IS NOT NULL" : nil)
    }

    /// The value with NULL where it is undefined, if NULL has no other meaning.
    var settled: SQLOperand {
        guard let definition, !isOptional, nan != .null else { return self }
        var result = self
        result.sql = "CASE WHEN \(definition) THEN \(sql) END"
        (result.definition, result.indexed, result.unchecked) = (nil, nil, nil)
        return result
    }

    /// Whether a comparison with the value is NULL only if one of the values is NULL.
    var isPlain: Bool {
        guard !isOptional, nan == .none, isRepresentable else { return false }
        if case .reference = constant { return false }
        return true
    }
}

extension SQLOperand {
    var searchable: SQLOperand? {
        guard let indexed else { return nil }
        var result = self
        (result.sql, result.indexed) = (indexed, nil)
        return result
    }

    /// The constant text up to its first U+0000.
    func searchablePrefix(_ dialect: some SQLDialect) -> SQLOperand? {
        guard case .text(let text) = constant else { return nil }
        return SQLOperand(constant: .text(String(text.unicodeScalars.prefix { $0 != "\0" })), dialect)
    }
}

extension SQLDialect {
    /// Adds a condition that can use an index, if there is one: the result of `search` for the indexed expression and the
    /// beginning of a constant text, which must be true where the condition is.
    func searching(
        _ condition: SQLQuery, _ operand: SQLOperand, for constant: SQLOperand,
        _ search: (SQLOperand, SQLOperand) throws -> SQLQuery
    ) rethrows -> SQLQuery {
        guard let operand = operand.searchable, let prefix = constant.searchablePrefix(self) else { return condition }
        return "(\(try search(operand, prefix)) AND \(condition))"
    }

    func settled(_ operand: SQLOperand) -> SQLOperand { storable(operand).settled }

    /// Returns a condition that is NULL where one of its operands is undefined; `definitions` are the conditions that they
    /// are defined.
    func defined(
        _ condition: SQLQuery, where definitions: [SQLQuery?], nullIsFalse: Bool
    ) -> SQLQuery {
        let definitions = definitions.compactMap { $0 }
        if definitions.isEmpty { return condition }
        if nullIsFalse { return "(\(definitions.joined(" AND ")) AND \(condition))" }
        return "CASE WHEN \(definitions.joined(" AND ")) THEN \(condition) END"
    }

    /// Returns a condition that depends on another one, and is NULL if that one is.
    func choice(_ test: SQLQuery, _ then: SQLQuery, _ other: SQLQuery) -> SQLQuery {
        "CASE (\(test)) WHEN \(`true`) THEN \(then) WHEN \(`false`) THEN \(other) END"
    }
}

/// The type of a value in SQL, as Chronicle stores attributes. The dialect chooses the types of columns.
public enum SQLType: Sendable {
    /// A nil of any type.
    case null
    /// Integers of at most 64 bits, Booleans as 0 and 1, and primary keys.
    case integer
    /// Floating-point numbers, and dates as seconds since January 1, 2001.
    case real
    /// Texts, the JSON of `Codable` values, and decimals as text.
    case text
    /// Binary data and UUIDs.
    case blob
    /// Decimals in the form in which their order is that of the numbers; see ``SQLDialect/decimal(_:)``.
    case decimal

    /// Creates the type of the values of a property that are not nil. References are stored as primary keys.
    ///
    /// - Parameter property: A stored property.
    public init(_ property: Schema.Property) {
        switch property.attribute?.storage {
        case .integer, nil: self = .integer
        case .real: self = .real
        case .text, .decimal, .json: self = .text
        case .blob: self = .blob
        }
    }

    /// Creates the type of a value inside JSON.
    ///
    /// - Parameter form: The form of the value.
    public init(_ form: JSONForm) {
        switch form {
        case .text, .decimal, .json: self = .text
        case .integer: self = .integer
        case .real, .float: self = .real
        case .uuid, .data: self = .blob
        }
    }
}
