// Schema
extension SwiftDataError {
    /// The schema of a container or store does not contain a model class or entity, or the store was opened without one.
    ///
    /// Thrown when a context uses such a model, and when a container is created whose configurations do not cover all its models,
    /// or whose schema was decoded and has no classes. Add the class to the container or to a configuration. This kind also matches
    /// ``invalidModel`` and ``unsupportedAttributeType``.
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    /// SwiftData's name of ``unknownSchema`` for stores.
    public static let unknownDataStoreSchema = unknownSchema
    /// The declaration of a model class, or the description of an entity in a decoded ``Schema``, is invalid.
    ///
    /// Thrown when a container is created and by ``Schema/validate()``, for example for a property that is missing from
    /// ``PersistentModel/properties``. Correct the declaration that the error names. Decoding a schema throws it for a description
    /// that is damaged or that a later version encoded.
    public static let invalidModel = SwiftDataError(.invalidModel)
    /// The type of an attribute cannot be stored. Conform it to `Codable`, or exclude the property with `@Transient`.
    ///
    /// Thrown when a container is created and by ``Schema/validate()``.
    public static let unsupportedAttributeType = SwiftDataError(.unsupportedAttributeType)
}

// Containers and files
extension SwiftDataError {
    /// A store could not be opened.
    ///
    /// The detail describes what to correct. This kind also matches ``notADatabase``, ``notAChronicleStore``,
    /// ``unsupportedFileVersion``, ``fileReadOnly``, ``missingDirectory``, ``damagedFile``, ``newerSchemaVersion``,
    /// ``unknownSchemaVersion``, ``missingMigrationStage`` and ``invalidMigrationPlan``. A file that is empty, or whose creation
    /// was interrupted, becomes a store when it is opened for writing.
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    /// The file does not have the format of the store. For the default store, it is not an SQLite database.
    ///
    /// The file was not changed; specify another URL, or restore a backup.
    public static let notADatabase = SwiftDataError(.notADatabase)
    /// The file has the right format, but another application created it. The file was not changed; specify another URL.
    public static let notAChronicleStore = SwiftDataError(.notAChronicleStore)
    /// The file has a version of its format that this version of Chronicle, or of a custom store, does not support.
    ///
    /// The file was not changed; use the version of the program that created or upgraded it.
    public static let unsupportedFileVersion = SwiftDataError(.unsupportedFileVersion)
    /// The file, its directory, or a file beside it is not writable, and the configuration does not specify read-only access.
    ///
    /// Change the permissions, or open the store with `allowsSave: false`.
    public static let fileReadOnly = SwiftDataError(.fileReadOnly)
    /// The directory of the file does not exist. Create it first.
    ///
    /// Chronicle creates only the directories of configurations without a URL, and throws this error if it cannot.
    public static let missingDirectory = SwiftDataError(.missingDirectory)
    /// The file is damaged, or another program wrote an invalid row to one of the store's internal tables.
    ///
    /// Thrown when a store is opened, read or written. The detail names the table and the row, if they are known. Nothing was
    /// written. Restore a backup, or recover the readable rows; for the default store, use the `.recover` command of the `sqlite3`
    /// shell.
    public static let damagedFile = SwiftDataError(.damagedFile)
    /// The name of a configuration, its file or its group is empty or contains a slash or a NUL character. Choose another name.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        .configurationFileNameContainsInvalidCharacters)
    /// The file name of a configuration is too long for the files beside it, which have longer names. Use at most 247 bytes.
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    /// Two configurations have the same name, or open the same store. Give each configuration a separate name and store.
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    /// The tables of the file cannot be changed to match the schema, for example for a new property that is neither optional nor
    /// has a default value.
    ///
    /// Make the property optional, or declare a default value. This kind also matches ``newerSchemaVersion``.
    public static let backwardMigration = SwiftDataError(.backwardMigration)
}

// Migrations
extension SwiftDataError {
    /// The data has a later version than the schema of the store. Nothing was changed; update the program.
    ///
    /// Thrown when a store is opened with a ``SchemaMigrationPlan`` or a schema that has a version, or with a schema that it was
    /// opened with before a later version renamed a property or a class.
    public static let newerSchemaVersion = SwiftDataError(.newerSchemaVersion)
    /// The migration plan does not contain the version of the data. Nothing was changed; add the version to
    /// ``SchemaMigrationPlan/schemas``.
    ///
    /// Data that was written without a version must match the models of one of the versions; see ``Schema/versionHash``.
    public static let unknownSchemaVersion = SwiftDataError(.unknownSchemaVersion)
    /// The stages of the migration plan do not migrate from the version of the data to that of the store's schema.
    ///
    /// Nothing was changed; add the missing stage to ``SchemaMigrationPlan/stages``.
    public static let missingMigrationStage = SwiftDataError(.missingMigrationStage)
    /// The migration plan contradicts itself, or does not contain the version of the store's schema.
    ///
    /// Nothing was changed; correct the plan as the detail describes.
    public static let invalidMigrationPlan = SwiftDataError(.invalidMigrationPlan)
}

// Models and contexts
extension SwiftDataError {
    /// A context was released while it had unsaved changes, and some of these changes are lost.
    ///
    /// Thrown by a save through ``PersistentModel/modelContext`` of a model that is still referenced. Keep a reference to the
    /// context as long as its models have changes. To continue without the lost changes, call ``ModelContext/rollback()``.
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    /// The row of a model does not exist, usually because another context or program deleted it.
    ///
    /// Thrown when a model is loaded by its identifier, and by a save of changes of a deleted row with the policy
    /// ``ModelContext/MergePolicy/error``, or of an instance that another one replaced. After a failed save, delete the model or
    /// call ``ModelContext/rollback()``.
    public static let modelNotFound = SwiftDataError(.modelNotFound)
    /// The model belongs to another context. Pass its identifier instead, and load the model in this context.
    ///
    /// Thrown by the save or fetch that follows an insert, delete or assignment of a model of another context.
    public static let contextMismatch = SwiftDataError(.contextMismatch)
    /// The context has unsaved changes before a revert, or during an enumeration, which would keep all enumerated models in memory.
    ///
    /// Save before the revert or roll back, because its result must not depend on unsaved changes. In the block of
    /// ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``, save, or allow escaping mutations.
    public static let unsavedChanges = SwiftDataError(.unsavedChanges)
    /// A model is invalid and cannot be saved, for example because an attribute has no value.
    ///
    /// The error names the model and the property. Correct the value and save again. This kind also matches ``valueOutOfRange``,
    /// ``uniquenessViolation`` and ``deleteDenied``.
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    /// A number is outside the range of the store, which is that of a signed 64-bit integer, or a text contains a NUL character
    /// where it must not.
    ///
    /// Set a smaller number, or use another type for the attribute. Names of new consumers and tags, which must not be empty
    /// either, and the author, name, and metadata of a context that writes must not contain a NUL character. PostgreSQL cannot
    /// store the character in an attribute either. Remove it, and save again.
    public static let valueOutOfRange = SwiftDataError(.valueOutOfRange)
    /// Another model already has the same values for unique properties.
    ///
    /// Thrown by a save that cannot merge the models, or must not, because of ``ModelContext/mergePolicy``. Change the values or
    /// delete one of the models, and save again.
    public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)
    /// A deleted model is still referenced by models that do not permit this.
    ///
    /// A relationship with the delete rule *deny* has destinations, or a relationship that references the model is not optional.
    /// Delete the other models as well, change their relationships, or call ``ModelContext/rollback()``.
    public static let deleteDenied = SwiftDataError(.deleteDenied)
    /// A stored value is not valid for the type of its property, because another program or another version of the class wrote it.
    ///
    /// The error names the model and the property. Correct the stored value, or change the type of the property. In the history,
    /// such a value is an ``UndecodableValue``, and reading continues. In a context as of an earlier position, the type of the
    /// property may have changed since; use a later position.
    public static let undecodableValue = SwiftDataError(.undecodableValue)
}

// Fetching
extension SwiftDataError {
    /// A predicate of models or of history contains an expression that the store does not support.
    ///
    /// The detail names the expression. Rewrite the predicate, or filter the fetched models.
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    /// A sort descriptor has no key path, or its key path is not a stored property.
    ///
    /// Sort by a stored property, or sort the fetched models.
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    /// A key path is not a stored property of the model, or not one of the required kind. Remove the key path.
    ///
    /// Thrown by a fetch for an entry of ``FetchDescriptor/relationshipKeyPathsForPrefetching`` that is not a relationship, and
    /// when preserved values are erased.
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
}

// Stores
extension SwiftDataError {
    /// Another connection locked the store for longer than the configured timeout. Try again.
    ///
    /// Nothing was written, unless the request was to erase preserved values from the history of the default store: some of them
    /// may have been erased.
    public static let storeBusy = SwiftDataError(.storeBusy)
    /// The store was opened for read-only access. Open it with `allowsSave: true` to save, to delete models or history, and for
    /// other requests that write.
    public static let storeReadOnly = SwiftDataError(.storeReadOnly)
    /// The file of the store was moved, replaced or deleted while it was open, or the address of a store on a server references
    /// another server.
    ///
    /// Nothing was written, and the context keeps its changes. Move the file back, or create a new container, which opens the store
    /// that is there now. A save checks the file when it has acquired the lock; with `.relaxed` durability, it relies on a check
    /// within the last millisecond. If the file is moved later, but before the save has committed, the changes are in the moved
    /// file, and no error is thrown.
    public static let storeMoved = SwiftDataError(.storeMoved)
    /// The disk is full, or a table has no unused primary key.
    ///
    /// Nothing was written, and the context keeps its changes. Free disk space and save again.
    public static let storeFull = SwiftDataError(.storeFull)
    /// The server of the store cannot be reached, rejected the connection, or ended it.
    ///
    /// Nothing was saved, and the context keeps its changes. Restore the connection, for example by correcting the configuration,
    /// and try again: the store connects again by itself. See ``underlying``, which is a `PostgresError` for the PostgreSQL store.
    /// The kind ``loadIssueModelContainer`` matches it as well.
    public static let storeUnavailable = SwiftDataError(.storeUnavailable)
    /// The connection to the server of the store was lost during a commit, and it cannot be determined whether the changes were
    /// saved.
    ///
    /// Thrown by a save and other requests that write. The context keeps its changes. When the server can be reached again, fetch
    /// the models and compare them with the changes: roll back the context if they were saved, and save again otherwise.
    public static let saveOutcomeUnknown = SwiftDataError(.saveOutcomeUnknown)
    /// The store failed for a reason that no other kind describes.
    ///
    /// See ``detail`` and ``underlying``, which is a `DatabaseError` for the default store. An input/output error (its `resultCode`
    /// is 10) does not imply that the file is damaged; check the disk and try again. If the disk failed while it synchronized the
    /// changes of a save, and still fails when the store is closed, they may be in the store when it is opened again.
    public static let storeFailure = SwiftDataError(.storeFailure)
    /// A store returned a result that violates the requirements of its protocol. Correct the implementation of the store.
    ///
    /// The detail names the requirement. The default store causes this error only if its file is damaged, because a damaged index
    /// can return a row twice.
    public static let invalidStoreResponse = SwiftDataError(.invalidStoreResponse)
    /// The store does not support the requested feature, which the detail names. Avoid the feature, or use another store.
    public static let unsupportedFeature = SwiftDataError(.unsupportedFeature)
}

// History
extension SwiftDataError {
    /// A history token is no longer valid, because transactions after it were deleted.
    ///
    /// Thrown by a history fetch whose predicate contains the token. Fetch the models again, and continue from
    /// ``ModelContext/currentHistoryToken()``. This kind also matches ``historyTokenForked``, ``historyTokenStoreMismatch``,
    /// ``historyTokenAhead`` and ``historyTokenGap``.
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    /// The store contains a different transaction at the position of the token, because a power failure or a restored backup
    /// reverted the original one. Start over as for ``historyTokenExpired``.
    public static let historyTokenForked = SwiftDataError(.historyTokenForked)
    /// The token has no position in this store, because another store created it.
    ///
    /// Use a token of this store, or merge both with ``DefaultHistoryToken/merging(_:)``.
    public static let historyTokenStoreMismatch = SwiftDataError(.historyTokenStoreMismatch)
    /// The position of the token is after the newest transaction, because a power failure or a restored backup reverted the
    /// transactions up to the token. Start over as for ``historyTokenExpired``.
    public static let historyTokenAhead = SwiftDataError(.historyTokenAhead)
    /// The history after the token is incomplete, because history was disabled for a time or another program removed or changed the
    /// triggers that record it. Start over as for ``historyTokenExpired``.
    public static let historyTokenGap = SwiftDataError(.historyTokenGap)
    /// No store of the container provides transactions of the requested type. Use the transaction type of one of the stores.
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
    /// The configuration of the store disables history. Enable it to fetch or delete history.
    public static let historyDisabled = SwiftDataError(.historyDisabled)
    /// No store has a tag of this name. ``ModelContext/tags()`` returns the existing tags.
    public static let historyTagNotFound = SwiftDataError(.historyTagNotFound)
    /// A store already has a tag of this name. Nothing was changed.
    ///
    /// Choose another name, delete the tag, or pass `replacing: true` to ``ModelContext/tag(_:replacing:)`` to move it.
    public static let duplicateHistoryTag = SwiftDataError(.duplicateHistoryTag)
    /// The history does not preserve the value of an attribute, so the value at a position is unknown.
    ///
    /// Thrown when models are fetched as of a position, and by an export. The error names the entity, the property, and a model
    /// without the value. Choose a later position, or fetch models that do not reach this entity through relationships. Begin an
    /// export with ``HistoryStart/snapshot``. If the detail names a change of a tracked table, run `chronicle track`, or open the
    /// file for writing.
    ///
    /// The history preserves the values of later changes if the file preserves values, or with the options
    /// ``Schema/Attribute/Option/preserveValueOnUpdate`` and ``Schema/Attribute/Option/preserveValueOnDeletion``.
    public static let historyValueMissing = SwiftDataError(.historyValueMissing)
    /// A revert, an undo or a redo has unresolved conflicts, for example because a property was changed again since.
    ///
    /// Nothing was changed. The error names the first conflict. Create a plan with ``ModelContext/revertPlan(for:)`` and resolve
    /// its conflicts.
    public static let revertConflict = SwiftDataError(.revertConflict)
}

// Exports and replays
extension SwiftDataError {
    /// An export of a history cannot be read, is truncated or damaged, contains a value that is not valid for its attribute, or has
    /// a later format.
    ///
    /// Thrown by a replay, and by the verification of a sealed export. The detail contains the number of the line. The error of a
    /// replay names the attribute of the value, and the transactions before the line were replayed. Use a complete copy of the
    /// export; a replay continues after them. If the format is later, update Chronicle.
    public static let invalidHistoryExport = SwiftDataError(.invalidHistoryExport)
    /// A replay would overwrite changes that the target of the replay made to the same models.
    ///
    /// Also thrown if another replay to the same store has continued, and if the export is from the store itself. The error names
    /// the model and the property if they are known. The transactions before it were replayed. Undo the changes of the target, or
    /// replay the export to a new store.
    public static let historyReplayConflict = SwiftDataError(.historyReplayConflict)
}

// Consumers
extension SwiftDataError {
    /// The store has no ``HistoryConsumer`` of this name, because it was removed or renamed.
    ///
    /// Create the consumer again with ``ModelContainer/historyConsumer(named:of:filter:startingNewAt:storeName:)``.
    public static let historyConsumerNotFound = SwiftDataError(.historyConsumerNotFound)
    /// Another consumer of the store already has the new name. Choose another name, or remove the other consumer.
    public static let duplicateHistoryConsumer = SwiftDataError(.duplicateHistoryConsumer)
    /// Another instance of the consumer is reading, in this process or in another one.
    ///
    /// Try again later: the other instance ends with its process, or when its program calls ``HistoryConsumer/release()``.
    public static let historyConsumerInUse = SwiftDataError(.historyConsumerInUse)
    /// Another instance of the consumer took over since the batch was delivered, or the consumer was reset.
    ///
    /// The acknowledgement or the save with it changed nothing. Discard the work of the batch, for example with
    /// ``ModelContext/rollback()``, and request the next batch.
    public static let historyConsumerEvicted = SwiftDataError(.historyConsumerEvicted)
    /// A batch cannot be acknowledged, because it does not begin at the position of the consumer.
    ///
    /// Nothing was changed. The batch was acknowledged before or belongs to another consumer or store, or the token belongs to no
    /// transaction of the batch. Discard the work of the batch, and request the next one.
    public static let invalidHistoryAcknowledgement = SwiftDataError(.invalidHistoryAcknowledgement)
}

// Errors of SwiftData for code that handles them. Chronicle throws none of these.
extension SwiftDataError {
    /// SwiftData cannot fetch in batches and include unsaved changes. Chronicle's `enumerate` includes them and does not throw this
    /// error.
    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    /// SwiftData cannot sort the identifiers of models with unsaved changes. Chronicle's ``ModelContext/fetchIdentifiers(_:)`` can.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    /// The schema of a configuration contains a model that is not in the schema of the container.
    ///
    /// Chronicle does not throw this error: the store keeps the model, and contexts of the container do not use it.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema)
}
