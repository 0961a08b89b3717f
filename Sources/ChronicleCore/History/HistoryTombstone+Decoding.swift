extension HistoryTombstone {
    /// The tombstone of what a store kept of a model, by attribute name: values of the properties' types, and plain ones
    /// (see ``PropertyValue/plainValue``) for attributes that the class no longer has. Null is left out.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` for what is no value of the property's type.
    public init(decoding kept: [(name: String, value: PropertyValue)], _ schema: Schema) throws {
        let entity = schema.entity(for: Model.self)
        try self.init(
            kept.compactMap { name, value in
                guard let property = entity?.property(named: name), property.isAttribute else {
                    return value.plainValue.map { (name, $0) }
                }
                do { return try property.decode(value).map { (name, $0) } } catch let error as SwiftDataError {
                    throw error.with(entityName: Model.entityName)
                }
            })
    }
}
