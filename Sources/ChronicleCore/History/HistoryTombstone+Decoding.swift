extension HistoryTombstone {
    /// Creates a tombstone from the stored values of a deleted model.
    ///
    /// Values of attributes that the class no longer has are converted with ``PropertyValue/plainValue``. Null values
    /// are omitted.
    ///
    /// - Parameters:
    ///   - kept: The preserved values by attribute name.
    ///   - schema: The schema of the store.
    /// - Throws: ``SwiftDataError/undecodableValue`` if a value is not valid for the type of its attribute.
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
