import Chronicle

/// The properties whose values the history of an entity can contain, and its relationships.
struct TimelineProperties {
    /// Their names in the order of the schema.
    let names: [String]
    /// The index of the attribute that is the title of a model, or `nil` if there is none.
    let title: Int?
    /// The indices of the lists of links.
    let links: [Int]
    /// The relationships in the form that the page reads:
    /// `[{"name": …, "kinds": [entities], "inverse": name or null, "isList": …, "isOwn": …}]`. The changes of the model contain
    /// one that is its own, and those of the destinations contain the others, in the inverse.
    let relationships: JSONBytes
    /// The names of the entities from which the entity inherits. References have the name of one of them.
    let kindOf: [String]

    /// - Parameters:
    ///   - entity: The entity, or `nil` if it is not in the schema any more.
    ///   - schema: The schema of the store.
    ///   - titles: The names of the attributes that are titles, in the order of preference.
    init(_ entity: Schema.Entity?, _ schema: Schema, _ titles: [String]) {
        let all = entity?.properties ?? []
        // A list without links is stored in the rows of the destinations, whose history it is.
        let properties = all.filter(Self.isOwn)
        let names = properties.map(\.name)
        self.names = names
        title =
            titles.lazy.compactMap { names.firstIndex(of: $0) }.first
            ?? properties.firstIndex { $0.isAttribute && $0.unwrappedValueType == String.self }
        links = properties.indices.filter { properties[$0].relationship?.isLinked == true }
        kindOf = entity.map { sequence(first: $0, next: \.superentity).dropFirst().map(\.name) } ?? []
        var column = JSONColumn()
        for property in all { Self.append(property, schema, to: &column) }
        relationships = column.array
    }

    private static func isOwn(_ property: Schema.Property) -> Bool {
        property.slot >= 0 || property.relationship?.isLinked == true
    }

    private static func append(_ property: Schema.Property, _ schema: Schema, to column: inout JSONColumn) {
        guard let relationship = property.relationship else { return }
        let inverse = schema.inverse(of: relationship)?.name
        guard isOwn(property) || inverse != nil else { return }
        column.append { json in
            json.append(raw: #"{"name":"#)
            json.append(property.name)
            json.append(raw: #","kinds":"#)
            json.append(schema.kinds(of: relationship.destination).sorted())
            json.append(raw: #","inverse":"#)
            if let inverse { json.append(inverse) } else { json.append(raw: "null") }
            json.append(raw: relationship.isToMany ? #","isList":true"# : #","isList":false"#)
            json.append(raw: isOwn(property) ? #","isOwn":true}"# : #","isOwn":false}"#)
        }
    }
}
