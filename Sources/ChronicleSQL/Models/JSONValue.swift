import ChronicleCore

/// A value in the JSON of an attribute.
struct JSONValue {
    /// The value in the form of an attribute; for `JSONForm.json`, its JSON text.
    private let value: SQLOperand
    private let form: JSONForm

    init(_ value: SQLOperand, _ form: JSONForm) { (self.value, self.form) = (value, form) }

    /// Returns the value of a member of a member, or the value itself without members. Throws `unsupportedPredicate` if a
    /// value is not an object.
    func operand(_ members: [CodableMember], _ dialect: any SQLDialect) throws -> SQLOperand {
        guard let last = members.last else { return value }
        guard form == .json else {
            throw SwiftDataError.unsupportedPredicate.with(
                detail: "\(last.name) is not a member of a value that is stored as JSON", propertyName: last.name)
        }
        var object = value.sql
        var keys: [String] = []
        var mayBeNil = false
        for member in members {
            keys.append(member.key)
            guard let missing = member.missingValue else {
                mayBeNil = mayBeNil || member.isOptional
                continue
            }
            // An object that was encoded before its type had the member, which a nil object does not have either.
            if mayBeNil, keys.count > 1 {
                object = dialect.member(keys.dropLast(), of: object, .json)
                keys = [member.key]
            }
            let found = dialect.member(keys, of: object, member.form)
            object = dialect.unlessNull(object, dialect.ifNull(found, dialect.constant(missing)))
            (keys, mayBeNil) = ([], false)
        }
        var operand = SQLOperand(
            sql: keys.isEmpty ? object : dialect.member(keys, of: object, last.form), type: SQLType(last.form))
        if !keys.isEmpty { operand.indexed = dialect.indexedMember(keys, of: object, last.form) }
        operand.isOptional = value.isOptional || members.contains { $0.isOptional }
        operand.nan = operand.type == .real ? .stored : .none
        return operand
    }
}

/// The elements of a JSON array.
struct JSONElements {
    let array: SQLQuery
    let form: JSONForm
    let isOptional: Bool
    let alias: String

    func table(_ dialect: any SQLDialect) -> SQLQuery { dialect.elements(of: array, form, alias: alias) }

    func element(_ dialect: any SQLDialect) -> JSONValue {
        var operand = SQLOperand(
            sql: dialect.element(form, alias: alias), type: SQLType(form), isOptional: isOptional)
        operand.nan = operand.type == .real ? .stored : .none
        return JSONValue(operand, form)
    }
}

extension PredicateTree<ModelProperty>.Path {
    var members: [CodableMember] {
        guard case .member = properties.last else { return [] }
        return properties.reversed().prefix { if case .member = $0 { true } else { false } }.reversed().compactMap {
            if case .member(let member) = $0 { member } else { nil }
        }
    }
}
