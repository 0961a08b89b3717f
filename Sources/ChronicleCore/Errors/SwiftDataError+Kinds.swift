// Schema
extension SwiftDataError {
    /// A model or entity that the container's schema does not have. Also stands for ``invalidModel`` and
    /// ``unsupportedAttributeType``.
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    /// A model class whose declaration is wrong: a property that its map forgets, names twice or does not have, an
    /// inverse that does not fit. Thrown when a container is made; mend the class.
    public static let invalidModel = SwiftDataError(.invalidModel)
    /// An attribute of a type that cannot be stored. Thrown when a container is made; make the type `Codable` or leave the
    /// wrapper away.
    public static let unsupportedAttributeType = SwiftDataError(.unsupportedAttributeType)
}

// Containers and files
extension SwiftDataError {
    /// The container could not be opened. Stands for the six kinds below.
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    /// The file is not what the store keeps its models in (an SQLite database, for the default store). It was left
    /// untouched.
    public static let notADatabase = SwiftDataError(.notADatabase)
    /// The file is of the right kind (an SQLite database, for the default store) and of another application. It was left
    /// untouched.
    public static let notAChronicleStore = SwiftDataError(.notAChronicleStore)
    /// The file was written by a later version of Chronicle, or of the store. It was left untouched; update the program.
    public static let unsupportedFileVersion = SwiftDataError(.unsupportedFileVersion)
    /// The file, or the directory it is in, cannot be written, and the configuration did not ask for read-only.
    public static let fileReadOnly = SwiftDataError(.fileReadOnly)
    /// The directory that should hold the file does not exist. Chronicle does not make directories.
    public static let missingDirectory = SwiftDataError(.missingDirectory)
    /// The file is damaged, or another program wrote an invalid row to one of the store's own tables; the detail names table
    /// and row. Nothing was written. Restore a backup, or recover what can be read, for the default store with
    /// `sqlite3 .recover`.
    public static let damagedFile = SwiftDataError(.damagedFile)
    /// Two configurations have one name or open one store, or one model stands in two of them.
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    /// The file's schema cannot become the one asked for.
    public static let backwardMigration = SwiftDataError(.backwardMigration)
}

// Models and contexts
extension SwiftDataError {
    /// A context was released before its changes were saved, and some of them with it. Thrown by a save through
    /// ``PersistentModel/modelContext`` of a model that is still referenced. Keep a reference to the context while models
    /// have changes; ``ModelContext/rollback()`` to continue without those that were lost.
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    /// The row is gone, or never was: another writer deleted it. After a failed save, delete the model or `rollback()`.
    public static let modelNotFound = SwiftDataError(.modelNotFound)
    /// The model belongs to another context; carry its identifier over and ask this context for its own instance.
    public static let contextMismatch = SwiftDataError(.contextMismatch)
    /// A context has changes where it should have none, because they would keep every model in memory: save in the block of
    /// ``ModelContext/enumerate(_:batchSize:allowEscapingMutations:block:)``, or allow them.
    public static let unsavedChanges = SwiftDataError(.unsavedChanges)
    /// A model that cannot be saved as it is. Also stands for ``valueOutOfRange``, ``uniquenessViolation`` and
    /// ``deleteDenied``.
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    /// A number that does not fit the store: beyond 64 bits signed, or, when read, beyond the property's type.
    public static let valueOutOfRange = SwiftDataError(.valueOutOfRange)
    /// Another model already has these values of unique properties.
    public static let uniquenessViolation = SwiftDataError(.uniquenessViolation)
    /// A model is to be deleted that others lead to and must not lose: by the delete rule *deny*, or because their
    /// relationship is not optional. Delete them too, or make them lead elsewhere; or `rollback()`.
    public static let deleteDenied = SwiftDataError(.deleteDenied)
    /// A stored value that is not of the property's type: somebody else wrote it. The error names model and property.
    public static let undecodableValue = SwiftDataError(.undecodableValue)
}

// Fetching
extension SwiftDataError {
    /// A predicate that cannot be translated; the detail names the part. Rewrite it, or filter the fetched models.
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    /// A sort descriptor without a key path, or by something that is not stored.
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    /// A key path that is no property of the model.
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
}

// Stores
extension SwiftDataError {
    /// Another connection kept the store locked for longer than the configured wait. Nothing was written; try again.
    public static let storeBusy = SwiftDataError(.storeBusy)
    /// A write to a store that was opened read-only.
    public static let storeReadOnly = SwiftDataError(.storeReadOnly)
    /// No space left. Nothing was written; the context still holds its changes.
    public static let storeFull = SwiftDataError(.storeFull)
    /// The store failed in a way that has no kind of its own; see the detail, the cause and, for the default store, the
    /// SQLite code. Among them is a file that the system could not read or write (`sqliteCode & 255` is 10), which need not be
    /// damaged: see to the disk, and try again.
    public static let storeFailure = SwiftDataError(.storeFailure)
    /// A store broke a rule of its protocol; the detail names the rule. The default store does so only when its file is
    /// damaged: an index of a table can then return a row twice.
    public static let invalidStoreResponse = SwiftDataError(.invalidStoreResponse)
    /// The store lacks what it was asked for; the detail names it. Do without, or use another store.
    public static let unsupportedFeature = SwiftDataError(.unsupportedFeature)
}

// History
extension SwiftDataError {
    /// Something after the token was deleted, so that reading on would miss it. Start over from the current state and
    /// ``ModelContext/currentHistoryToken()``. Stands for all five ways in which a token is of no more use.
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    /// The store's past changed: the token's transaction was taken back by a power cut or a restored backup and another
    /// one stands in its place.
    public static let historyTokenForked = SwiftDataError(.historyTokenForked)
    /// The token was given by another store.
    public static let historyTokenStoreMismatch = SwiftDataError(.historyTokenStoreMismatch)
    /// The store never reached the token's position: it was taken back, and nothing stands there yet.
    public static let historyTokenAhead = SwiftDataError(.historyTokenAhead)
    /// Not every change after the token was recorded: history was switched off for a time, or another program dropped or
    /// changed what records it.
    public static let historyTokenGap = SwiftDataError(.historyTokenGap)
    /// No store of the container provides transactions of this type.
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
    /// The store keeps no history: its configuration switched it off.
    public static let historyDisabled = SwiftDataError(.historyDisabled)
}
