import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

extension DefaultStore {
    /// A Boolean value that indicates whether the history preserves the values of all properties: the setting of the file,
    /// which may be `true` although ``ModelConfiguration/preservesValues`` is `false`.
    ///
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again. ``SwiftDataError/damagedFile`` if the
    ///   setting is invalid.
    public var preservesValues: Bool {
        get throws {
            try attributingErrors {
                try database.read { try MetaTable.text(.preservesValues, $0) == "on" }
            }
        }
    }

    /// Changes whether the history preserves the values of all properties, from the next change on.
    ///
    /// The setting belongs to the file and applies to all programs that write it; see
    /// ``ModelConfiguration/preservesValues``. Values that are already in the history remain; to remove them, use
    /// ``erasePreservedValues(of:attributes:)``. Attributes with the options
    /// ``Schema/Attribute/Option/preserveValueOnUpdate`` and ``Schema/Attribute/Option/preserveValueOnDeletion`` are
    /// preserved in any case.
    ///
    /// - Parameter preservesValues: Whether to preserve the values.
    /// - Throws: One of the following errors. Nothing was changed in that case.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    ///   - ``SwiftDataError/historyDisabled`` if the configuration disables the history, or another program opened the file
    ///     without history. Change the configuration, or open the store again.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and try again.
    ///   - ``SwiftDataError/damagedFile`` if a table of the history is damaged. Restore the file from a backup.
    /// - Complexity: Proportional to the number of entities and attributes.
    public func setPreservesValues(_ preservesValues: Bool) throws {
        try requireHistory()
        try requireWriteAccess()
        try attributingErrors {
            try database.write { connection in
                try connection.immediate {
                    if layout.isTracked {
                        // The triggers show which columns were renamed, so they are compared before they change.
                        try SchemaFollowing(connection).run()
                        try TableTracking(connection).setPreservesValues(preservesValues)
                        return try SchemaFollowing(connection).finish()
                    }
                    try SchemaCompletion(connection, schema, configuration).setPreservesValues(preservesValues)
                }
            }
        }
    }
}

extension SchemaCompletion {
    func setPreservesValues(_ preservesValues: Bool) throws {
        let setting = preservesValues ? "on" : "off"
        guard try MetaTable.text(.preservesValues, connection) != setting else { return }
        // Throws an error if another program disabled the history, because the triggers would enable it again.
        _ = try HistoryPositions(connection).facts(at: 0)
        let registry = EntityRegistry(connection)
        // Checked before anything that the triggers depend on changes.
        let wasComplete = try knownDigest(FileSchema(connection)) != nil
        let wasRecorded = try isRecorded(registry, wasComplete ? sharedLinks() : [])
        try MetaTable.set(.preservesValues, setting, connection)
        let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
        try MetaTable.set(.preservesValuesSince, newest, connection)
        for entity in try registry.entities() {
            for var attribute in entity.attributes {
                attribute.preservation.setDefault(preservesValues ? .limited : .none)
                try registry.update(attribute, of: entity)
            }
        }
        try recreateTriggers(registry)
        if !wasRecorded { try HistoryGap.record(connection) }
    }
}
