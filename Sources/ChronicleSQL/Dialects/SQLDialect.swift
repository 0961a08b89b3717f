public import ChronicleCore

/// The SQL of a database, as far as it differs between databases.
///
/// ``FetchSQL`` and ``PredicateSQL`` call the dialect for SQL that is not the same everywhere. A dialect only writes text;
/// it needs no connection. ``PostgreSQLDialect`` is one; write your own for another database, and run the predicate rules
/// of `ChronicleConformance` against it.
///
/// A translation preserves the semantics of Swift that `PredicateTree` describes. It never ends the query with an error:
/// where Swift would trap, because integers overflow or are divided by zero, an expression is NULL.
///
/// For what the database cannot express, throw `SwiftDataError.unsupportedPredicate` with a detail that names the
/// operation. The store throws `DataStoreError.preferInMemoryFilter` instead to let the context evaluate the predicate, or
/// passes the error on.
public protocol SQLDialect: Sendable {
    // MARK: Text of statements

    /// Returns a name as an identifier. By default, it is in double quotes.
    ///
    /// - Parameter name: The name of a table or a column.
    /// - Returns: The quoted name.
    func quoted(_ name: String) -> String

    /// Returns the name of a table in a FROM clause. By default, it is the quoted name.
    ///
    /// - Parameter name: The name of a table.
    /// - Returns: The quoted name, with that of its schema if it is required.
    func table(_ name: String) -> String

    /// Returns the parameter with a number. By default, it is `?`.
    ///
    /// - Parameter number: The number, 1 or greater.
    /// - Returns: The text of the parameter.
    func parameter(_ number: Int) -> String

    /// Returns the parameter for a constant of a predicate. By default, it has no cast; add one if the database cannot
    /// infer the type.
    ///
    /// - Parameter value: A constant, which is not nil and not NaN.
    /// - Returns: The expression.
    func constant(_ value: PropertyValue) -> SQLQuery

    /// Returns whether a value can be bound and stored. By default, all can.
    ///
    /// A value that cannot be stored equals no stored value. In other expressions, it is not supported.
    ///
    /// - Parameter value: A constant.
    /// - Returns: `true` if the database can represent the value.
    func canRepresent(_ value: PropertyValue) -> Bool

    /// Returns a clause that limits the number of rows: ` LIMIT … OFFSET …`, with a leading space.
    ///
    /// - Parameters:
    ///   - limit: The number of rows, or `nil` for all.
    ///   - offset: The number of rows to skip, or `nil` for none. One of the two is not `nil`.
    /// - Returns: The clause.
    func limit(_ limit: Int64?, offset: Int64?) -> SQLQuery

    /// Returns the query for the number of rows of a query. By default, it is `SELECT count(*) FROM (…) AS rows`.
    ///
    /// - Parameter query: A query.
    /// - Returns: The query for the number of its rows.
    func count(of query: SQLQuery) -> SQLQuery

    /// Returns the number of rows in which a value is not NULL. By default, it is `count(…)`.
    ///
    /// - Parameter value: A value of the rows.
    /// - Returns: The number.
    func count(_ value: SQLQuery) -> SQLQuery

    /// Returns a term of ORDER BY: NULL before all values, NaN after all other numbers, texts by their Unicode scalars;
    /// reversed if descending.
    ///
    /// - Parameters:
    ///   - value: The value to sort by. It is of the type ``SQLType/decimal`` if it was converted by ``decimal(_:)``.
    ///   - isDescending: Whether the order is descending.
    /// - Returns: The term.
    func order(_ value: SQLOperand, isDescending: Bool) -> SQLQuery

    // MARK: Conditions and values

    /// The condition that is always true.
    var `true`: SQLQuery { get }
    /// The condition that is always false.
    var `false`: SQLQuery { get }

    /// Returns the condition that a stored Boolean is true. It is NULL if the value is NULL.
    ///
    /// - Parameter value: An integer.
    /// - Returns: The condition.
    func condition(_ value: SQLQuery) -> SQLQuery

    /// Returns the result of a condition as a stored Boolean: 1, 0, or NULL.
    ///
    /// - Parameter condition: A condition.
    /// - Returns: The integer.
    func value(of condition: SQLQuery) -> SQLQuery

    /// Returns the condition that two values are equal or both NULL. It is never NULL itself.
    ///
    /// - Parameters:
    ///   - first: A value.
    ///   - second: Another value.
    ///   - isNegated: Whether to return the opposite.
    /// - Returns: The condition. By default, it is `first IS NOT DISTINCT FROM second`.
    func isSame(_ first: SQLQuery, _ second: SQLQuery, isNegated: Bool) -> SQLQuery

    /// Returns a value, or another one if it is NULL. Both are values or both are conditions.
    ///
    /// - Parameters:
    ///   - value: A value or a condition.
    ///   - other: The replacement.
    /// - Returns: The expression. By default, it is `coalesce(value, other)`.
    func ifNull(_ value: SQLQuery, _ other: SQLQuery) -> SQLQuery

    /// Returns a result, or NULL if a value is NULL.
    ///
    /// - Parameters:
    ///   - value: The tested value.
    ///   - result: The result for values that are not NULL.
    /// - Returns: The expression. By default, it is `CASE WHEN value IS NULL THEN NULL ELSE result END`.
    func unlessNull(_ value: SQLQuery, _ result: SQLQuery) -> SQLQuery

    // MARK: Numbers

    /// The infinite real.
    var infinity: SQLQuery { get }
    /// NaN as it is stored; see ``SQLOperand/NaN/stored``.
    var nan: SQLQuery { get }

    /// Returns the condition that a value is NaN as it is stored. It is never NULL.
    ///
    /// - Parameters:
    ///   - value: A real, which may be NULL.
    ///   - isNegated: Whether to return the opposite.
    /// - Returns: The condition.
    func isNaN(_ value: SQLQuery, isNegated: Bool) -> SQLQuery

    /// Returns an operand in the form in which a column contains it: NaN is ``SQLOperand/NaN/stored``.
    ///
    /// - Parameter operand: An operand.
    /// - Returns: The operand itself by default.
    func storable(_ operand: SQLOperand) -> SQLOperand

    /// Returns the result of a calculation, which must not end the query with an error.
    ///
    /// - Parameters:
    ///   - operation: The operator.
    ///   - number: The type of both operands and of the result.
    ///   - first: The first operand.
    ///   - second: The second operand.
    /// - Returns: The result.
    func calculate(
        _ operation: PredicateArithmetic, _ number: PredicateNumber,
        _ first: SQLOperand, _ second: SQLOperand
    ) -> SQLOperand

    /// Returns a number with the opposite sign, and does not end the query with an error.
    ///
    /// - Parameters:
    ///   - number: The type of the operand and of the result.
    ///   - operand: The operand.
    /// - Returns: The result.
    func negate(_ number: PredicateNumber, _ operand: SQLOperand) -> SQLOperand

    /// Returns a value that has the order of the number in a text. NaN is less than all other numbers.
    ///
    /// - Parameter text: A stored `Decimal`, or NULL.
    /// - Returns: The value.
    func decimal(_ text: SQLQuery) -> SQLQuery

    /// Returns a calculated value, or ends the statement with an error if it is outside of an attribute's range or
    /// undefined.
    ///
    /// The store recognizes the error of a batch update, and throws `SwiftDataError.valueOutOfRange`.
    ///
    /// - Parameters:
    ///   - value: An integer that was calculated.
    ///   - range: The numbers that the attribute can have.
    ///   - propertyName: The name of the attribute, for the error.
    /// - Returns: The value.
    func checked(_ value: SQLOperand, _ range: ClosedRange<Int64>, of propertyName: String) -> SQLQuery

    // MARK: Text

    /// Returns the condition that two values have an order. NULL and NaN are considered by the caller.
    ///
    /// - Parameters:
    ///   - first: A value.
    ///   - order: The order. Texts are ordered by their Unicode scalars, blobs by their bytes.
    ///   - second: A value of the same type.
    /// - Returns: The condition. By default, it is `first < second`, or another order.
    func compare(
        _ first: SQLOperand, _ order: PredicateOrder, _ second: SQLOperand
    ) -> SQLQuery

    /// Returns the condition that a text contains another one: its Unicode scalars, without wildcards.
    ///
    /// - Parameters:
    ///   - text: The text to search.
    ///   - part: The text to find. Every text contains the empty string.
    /// - Returns: The condition.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the database cannot express it.
    func contains(_ text: SQLOperand, _ part: SQLOperand) throws -> SQLQuery

    /// Returns the condition that a text begins with another one: with its Unicode scalars, without wildcards. For a
    /// constant prefix, write a range that can use an index.
    ///
    /// - Parameters:
    ///   - text: A text.
    ///   - prefix: The beginning. Every text begins with the empty string.
    /// - Returns: The condition.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the database cannot express it.
    func starts(_ text: SQLOperand, with prefix: SQLOperand) throws -> SQLQuery

    /// Returns the condition that a text contains another one, as `TextSearch` finds it. By default, it is not supported.
    ///
    /// - Parameters:
    ///   - text: The text to search.
    ///   - part: The text to find.
    /// - Returns: The condition.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the database cannot express it.
    func localizedStandardContains(_ text: SQLOperand, _ part: SQLOperand) throws -> SQLQuery

    /// Returns the number of characters of a text as Swift counts them. By default, it is not supported.
    ///
    /// - Parameter text: A text.
    /// - Returns: The number.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if the database cannot express it.
    func characterCount(_ text: SQLOperand) throws -> SQLQuery

    // MARK: Lists

    /// Returns the condition that a list contains a value. It is NULL if the value is NULL.
    ///
    /// - Parameters:
    ///   - value: A value.
    ///   - list: The list, without nil and NaN, with primary keys instead of references. Pass it as one parameter if their
    ///     number is limited.
    /// - Returns: The condition, or `nil` if the list is empty, or contains only values that cannot be stored.
    func isOneOf(_ value: SQLOperand, _ list: [PropertyValue]) -> SQLQuery?

    /// Returns the condition that a list, in a single parameter, contains a primary key, so that one statement serves all
    /// lists.
    ///
    /// - Parameters:
    ///   - key: A primary key.
    ///   - keys: The list, with several keys.
    /// - Returns: The condition.
    func isOneOf(_ key: SQLQuery, keys: [Int64]) -> SQLQuery

    /// Returns the condition that a column contains one of some names. It is never NULL, and can use an index.
    ///
    /// - Parameters:
    ///   - column: A column of texts, which may be NULL.
    ///   - names: The names, at least one. They are the names of Swift types.
    /// - Returns: The condition. By default, it is `(column IS NOT NULL AND column IN ('A', 'B'))`.
    func isOneOf(_ column: SQLQuery, names: [String]) -> SQLQuery

    // MARK: JSON

    /// Returns a member of a JSON object.
    ///
    /// - Parameters:
    ///   - keys: The keys from the object to the member, at least one.
    ///   - object: The JSON text of the object, or NULL.
    ///   - form: The form of the member.
    /// - Returns: The value in the form of an attribute, NULL if the member or an object on the way is missing or null. A
    ///   value in another form must not end the query with an error. For `JSONForm.json`, the JSON text without white
    ///   space, with the order of keys.
    func member(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery

    /// Returns an expression for a member that programs may have an index of, if ``member(_:of:_:)`` returns another one. A
    /// comparison of the member with a constant text then includes one of this expression, which selects at least the same
    /// rows.
    ///
    /// - Parameters:
    ///   - keys: The keys from the object to the member, at least one.
    ///   - object: The JSON text of the object, or NULL.
    ///   - form: The form of the member.
    /// - Returns: The value of the member, whose text may end before its first U+0000, or `nil`, the default.
    func indexedMember(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery?

    /// Returns a table for a FROM clause with a row for each element of a JSON array.
    ///
    /// - Parameters:
    ///   - array: The JSON text of the array, or NULL, which has no elements.
    ///   - form: The form of the elements.
    ///   - alias: The alias of the table. Its column `key` is the position of the element.
    /// - Returns: The table.
    func elements(of array: SQLQuery, _ form: JSONForm, alias: String) -> SQLQuery

    /// Returns the value of the current row of ``elements(of:_:alias:)``, in the form of an attribute.
    ///
    /// - Parameters:
    ///   - form: The form of the elements.
    ///   - alias: The alias of the table.
    /// - Returns: The value, in the same form as that of a member.
    func element(_ form: JSONForm, alias: String) -> SQLQuery
}

extension SQLDialect {
    public func quoted(_ name: String) -> String { SQLQuery.quoted(name) }

    public func table(_ name: String) -> String { quoted(name) }

    public func parameter(_ number: Int) -> String { "?" }

    public func constant(_ value: PropertyValue) -> SQLQuery { "\(value: value)" }

    public func canRepresent(_ value: PropertyValue) -> Bool { true }

    public func count(_ value: SQLQuery) -> SQLQuery { "count(\(value))" }

    public func count(of query: SQLQuery) -> SQLQuery { "SELECT count(*) FROM (\(query)) AS rows" }

    public func isSame(_ first: SQLQuery, _ second: SQLQuery, isNegated: Bool) -> SQLQuery {
        "\(first) \(raw: isNegated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM") \(second)"
    }

    public func ifNull(_ value: SQLQuery, _ other: SQLQuery) -> SQLQuery { "coalesce(\(value), \(other))" }

    public func unlessNull(_ value: SQLQuery, _ result: SQLQuery) -> SQLQuery {
        "CASE WHEN \(value) IS NULL THEN NULL ELSE \(result) END"
    }

    public func indexedMember(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery? { nil }

    public func storable(_ operand: SQLOperand) -> SQLOperand { operand }

    public func compare(
        _ first: SQLOperand, _ order: PredicateOrder, _ second: SQLOperand
    ) -> SQLQuery {
        "\(first.sql) \(raw: order.rawValue) \(second.sql)"
    }

    public func localizedStandardContains(_ text: SQLOperand, _ part: SQLOperand) throws -> SQLQuery {
        throw SwiftDataError.unsupportedPredicate.with(
            detail: "the database cannot evaluate localizedStandardContains; evaluate it for fetched models")
    }

    public func characterCount(_ text: SQLOperand) throws -> SQLQuery {
        throw SwiftDataError.unsupportedPredicate.with(
            detail: "the database cannot count the characters of a text; evaluate the count for fetched models")
    }

    public func isOneOf(_ column: SQLQuery, names: [String]) -> SQLQuery {
        let list = names.map(SQLQuery.literal).joined(separator: ", ")
        return "(\(column) IS NOT NULL AND \(column) IN (\(raw: list)))"
    }
}
