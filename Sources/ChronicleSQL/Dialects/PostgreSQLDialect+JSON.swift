public import ChronicleCore

// The type `json` keeps the text of a value, unlike `jsonb`, which changes the order of keys. Its operator `->>` returns
// the text of a string without quotation marks, that of another value unchanged, and NULL for null.
//
// A cast ends the query with an error if a text has another form, which other programs may have written. `substring` with
// a pattern then returns NULL.
extension PostgreSQLDialect {
    public func member(_ keys: [String], of object: SQLQuery, _ form: JSONForm) -> SQLQuery {
        var value: SQLQuery = "(\(object))::json"
        // Text instead of parameters, because an index is only used for the same expression.
        for (index, key) in keys.enumerated() {
            let literal = "\(SQLQuery.literal(key))::text"
            value = "\(value) \(raw: index < keys.count - 1 ? "->" : "->>") \(raw: literal)"
        }
        return converted("(\(value))", form)
    }

    public func elements(of array: SQLQuery, _ form: JSONForm, alias: String) -> SQLQuery {
        // A value that is not an array has no elements.
        """
        json_array_elements_text((SELECT CASE json_typeof(v) WHEN 'array' THEN v END \
        FROM (SELECT (\(array))::json AS v OFFSET 0) AS o)) WITH ORDINALITY AS \(raw: alias)(value, key)
        """
    }

    public func element(_ form: JSONForm, alias: String) -> SQLQuery { converted("\(raw: alias).value", form) }

    /// Converts the text that `->>` returns to the form of an attribute.
    private func converted(_ text: SQLQuery, _ form: JSONForm) -> SQLQuery {
        switch form {
        case .text, .json: text
        case .integer:
            named(
                text,
                """
                CASE v WHEN 'true' THEN 1 WHEN 'false' THEN 0 \
                ELSE CASE WHEN v ~ '^-?[0-9]{1,18}$' THEN v::bigint WHEN v ~ '^-?[0-9]{19}$' THEN \
                CASE WHEN v::numeric BETWEEN -9223372036854775808 AND 9223372036854775807::numeric \
                THEN v::bigint END END END
                """)
        case .real:
            named(
                text,
                """
                CASE WHEN v ~ '^-?[0-9]{1,17}(\\.[0-9]{1,20})?$' OR v IN ('Infinity', '-Infinity', 'NaN') THEN v::float8 \
                WHEN \(Self.isNumber) THEN CASE WHEN v::numeric = 0::numeric THEN 0 \
                WHEN abs(v::numeric) BETWEEN 5e-324 AND 1.7976931348623157e308 THEN v::float8 END END
                """)
        case .float:
            named(
                text,
                """
                CASE WHEN v IN ('Infinity', '-Infinity', 'NaN') THEN v::float8 \
                WHEN \(Self.isNumber) THEN CASE WHEN v::numeric = 0::numeric THEN 0 \
                WHEN abs(v::numeric) BETWEEN 1.5e-45 AND 3.4028235e38 THEN v::real::float8 END END
                """)
        case .decimal: "trim_scale(substring(\(text) from '\(Self.number)')::numeric)::text"
        case .uuid:
            """
            decode(replace(substring(\(text) \
            from '^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$'), '-'::text, ''::text), 'hex'::text)
            """
        case .data:
            """
            decode(substring(\(text) \
            from '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'), 'base64'::text)
            """
        }
    }

    private static let number: SQLQuery = "^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$"
    private static let isNumber: SQLQuery = "v ~ '\(number)'"

    /// Returns an expression in which `v` is a value that is computed once.
    private func named(_ value: SQLQuery, _ expression: SQLQuery) -> SQLQuery {
        "(SELECT \(expression) FROM (SELECT \(value) AS v OFFSET 0) AS o)"
    }
}
