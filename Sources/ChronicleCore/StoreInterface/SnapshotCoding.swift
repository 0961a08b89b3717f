import Foundation

// The conversion between rows and the snapshot types of stores.
//
// A type with only SwiftData's requirements has no access to its values but its `Codable` conformance, with the names of the
// properties as keys. JSON is a form in which every type encodes keys, and numbers without loss.
extension DataStoreSnapshot {
    /// Returns the values in their stored form, for code that works with every snapshot type, such as a test of a store.
    ///
    /// - Parameter schema: The schema of the store.
    /// - Returns: The values, followed by the lists of a store that keeps them in its rows; see ``DataStoreRowSnapshot/values``.
    /// - Throws: ``SwiftDataError/undecodableValue`` if a type that is not a ``DataStoreRowSnapshot`` encodes no valid value for a
    ///   property; the error names it. Correct the type, or the data of the store.
    /// - Complexity: O(*n*), where *n* is the number of values; O(1) for ``DefaultSnapshot``.
    public func row(in schema: Schema) throws -> DataStoreRow {
        if let snapshot = self as? DefaultSnapshot { return snapshot.row }
        if let snapshot = self as? any DataStoreRowSnapshot { return DataStoreRow(snapshot.values) }
        // The caller reports identifiers of other entities.
        guard let entity = schema.entitiesByName[persistentIdentifier.entityName] else { return DataStoreRow([]) }
        let coding = SnapshotCoding(entity: entity, lists: schema.listsInRows(of: entity))
        return try coding.attributingErrors(persistentIdentifier) {
            let decoder = JSONCoding.decoder()
            decoder.userInfo[SnapshotCoding.key] = coding
            return DataStoreRow(try decoder.decode(DecodedSnapshot.self, from: try JSONCoding.encode(self)).values)
        }
    }

    /// Throws ``SwiftDataError/undecodableValue`` if a type with a custom encoding cannot be decoded from the values.
    static func make(_ snapshot: DefaultSnapshot, in schema: Schema) throws -> Self {
        if let snapshot = snapshot as? Self { return snapshot }
        if let type = Self.self as? any DataStoreRowSnapshot.Type, let made = type.make(snapshot) as? Self {
            return made
        }
        guard let entity = schema.entitiesByName[snapshot.persistentIdentifier.entityName] else {
            throw SwiftDataError.unknownSchema.with(entityName: snapshot.persistentIdentifier.entityName)
        }
        let coding = SnapshotCoding(entity: entity, lists: schema.listsInRows(of: entity))
        return try coding.attributingErrors(snapshot.persistentIdentifier) {
            let data = try JSONCoding.encode(EncodedSnapshot(snapshot: snapshot, coding: coding))
            return try JSONCoding.decoder().decode(Self.self, from: data)
        }
    }

    /// Contexts create ``DefaultSnapshot`` values, because most stores use this type and a concrete type avoids calls through
    /// witness tables.
    static func all(_ snapshots: [DefaultSnapshot], in schema: Schema) throws -> [Self] {
        if Self.self == DefaultSnapshot.self { return unsafeBitCast(snapshots, to: [Self].self) }
        return try snapshots.map { try make($0, in: schema) }
    }
}

extension DataStoreRowSnapshot {
    fileprivate static func make(_ snapshot: DefaultSnapshot) -> Self {
        Self(
            persistentIdentifier: snapshot.persistentIdentifier, values: snapshot.values, changed: snapshot.changed)
    }
}

private struct SnapshotCoding: Sendable {
    let entity: Schema.Entity
    let lists: [Schema.Property]

    // Reason for the force-unwrap: the text is not empty.
    static let key = CodingUserInfoKey(rawValue: "chronicle.snapshot").unsafelyUnwrapped

    func error(_ detail: String, _ property: Schema.Property?) -> SwiftDataError {
        .undecodableValue.with(detail: detail, entityName: entity.name, propertyName: property?.name)
    }

    func attributingErrors<Result>(_ identifier: PersistentIdentifier, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SwiftDataError {
            throw error.with(entityName: entity.name, persistentIdentifier: identifier)
        } catch {
            throw self.error(
                "the snapshot type of the store must encode and decode a keyed container with the names of the properties",
                nil
            ).with(persistentIdentifier: identifier)
        }
    }
}

/// The values of a snapshot type with a custom encoding.
private struct DecodedSnapshot: Decodable {
    private(set) var values: [PropertyValue] = []

    init(from decoder: any Decoder) throws {
        guard let coding = decoder.userInfo[SnapshotCoding.key] as? SnapshotCoding else { return }
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        for property in coding.entity.storedProperties {
            values.append(try Self.value(of: property, in: container, coding))
        }
        for list in coding.lists {
            let key = DataStoreSnapshotCodingKey.modeledProperty(list.name)
            // Without the key, the row has no list, which the context reports.
            guard container.contains(key) else { return }
            values.append(.references(try container.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? []))
        }
    }

    private static func value(
        of property: Schema.Property, in container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>,
        _ coding: SnapshotCoding
    ) throws -> PropertyValue {
        let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
        if try !container.contains(key) || container.decodeNil(forKey: key) {
            if property.isOptional { return .null }
            guard let value = property.defaultValue else {
                throw coding.error("the snapshot has no value for the property", property)
            }
            return value
        }
        do {
            guard let codec = property.codec else {
                return .reference(try container.decode(PersistentIdentifier.self, forKey: key))
            }
            let type = unwrapped(property.valueType)
            if let type = type as? any Decodable.Type,
                let value = try codec.encodeAny(container.decode(type, forKey: key))
            {
                return value
            }
            if let type = type as? any RawRepresentable.Type, let value = try rawValue(type, key, container) {
                return value
            }
        } catch is DecodingError {}
        throw coding.error("the snapshot has no \(property.valueType) for the property", property)
    }

    /// Returns the value of a type that is not `Codable` itself.
    private static func rawValue<Value: RawRepresentable>(
        _: Value.Type, _ key: DataStoreSnapshotCodingKey,
        _ container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
    ) throws -> PropertyValue? {
        guard let type = Value.RawValue.self as? any Decodable.Type else { return nil }
        return try PropertyCodecs.codec(Value.RawValue.self)?.encodeAny(container.decode(type, forKey: key))
    }
}

/// A row in the encoding that a snapshot type is decoded from.
private struct EncodedSnapshot: Encodable {
    let snapshot: DefaultSnapshot
    let coding: SnapshotCoding

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(snapshot.persistentIdentifier, forKey: .persistentIdentifier)
        let properties = coding.entity.storedProperties + coding.lists
        for (property, value) in zip(properties, snapshot.row) {
            let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
            switch value {
            case .null: continue
            case .reference(let identifier): try container.encode(identifier, forKey: key)
            case .references(let identifiers): try container.encode(identifiers, forKey: key)
            case .integer, .real, .text, .blob:
                guard let value = property.codec?.decodeAny(value).flatMap(encodable) else {
                    throw coding.error("the value cannot be encoded for the snapshot type of the store", property)
                }
                try container.encode(value, forKey: key)
            }
        }
        // The rows of their destinations have the references.
        for property in coding.entity.relationshipProperties where property.slot < 0 {
            let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
            if !coding.lists.contains(where: { $0 === property }) {
                try container.encode([PersistentIdentifier](), forKey: key)
            }
        }
    }

    private func encodable(_ value: Any) -> (any Encodable)? {
        let value = (value as? any OptionalValue)?.wrapped ?? value
        return value as? any Encodable ?? (value as? any RawRepresentable).flatMap { $0.rawValue as? any Encodable }
    }
}
