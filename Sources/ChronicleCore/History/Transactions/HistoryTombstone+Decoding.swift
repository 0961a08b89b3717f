extension HistoryTombstone {
    /// Creates a tombstone from the stored values of a deleted model.
    ///
    /// Values of attributes that the class no longer has are converted with ``PropertyValue/plainValue``. Null values are in
    /// ``nilAttributeNames``. A value that is not valid for the type of its attribute becomes an ``UndecodableValue``.
    ///
    /// - Parameters:
    ///   - kept: The preserved values by attribute name.
    ///   - schema: The schema of the store.
    ///   - model: The identifier of the deleted model, for the errors of undecodable values.
    public init(
        decoding kept: [(name: String, value: PropertyValue)], _ schema: Schema, model: PersistentIdentifier? = nil
    ) {
        let entity = schema.entity(for: Model.self)
        self.init(
            kept.compactMap { name, value in
                guard let property = entity?.property(named: name), property.isAttribute else {
                    return value.plainValue.map { (name, $0) }
                }
                return property.decodePreserved(value, entityName: Model.entityName, model: model).map { (name, $0) }
            },
            nilAttributeNames: kept.lazy.filter(\.value.isNull).map(\.name))
    }
}
