extension SwiftDataError {
    /// The kind of an error, for a `switch`.
    ///
    /// ```swift
    /// switch error.code {
    /// case .storeBusy: try again()
    /// case .storeFull, .fileReadOnly: report(error)
    /// default: throw error
    /// }
    /// ```
    ///
    /// Later versions add cases, so a `switch` needs a `default`. A code equals only itself; to match a kind together with
    /// the more specific ones, use the static members, as in `catch SwiftDataError.historyTokenExpired`.
    @nonexhaustive public enum Code: String, CaseIterable, Hashable, Sendable {
        // Schema

        /// See ``SwiftDataError/unknownSchema``.
        case unknownSchema
        /// See ``SwiftDataError/invalidModel``.
        case invalidModel
        /// See ``SwiftDataError/unsupportedAttributeType``.
        case unsupportedAttributeType

        // Containers and files

        /// See ``SwiftDataError/loadIssueModelContainer``.
        case loadIssueModelContainer
        /// See ``SwiftDataError/notADatabase``.
        case notADatabase
        /// See ``SwiftDataError/notAChronicleStore``.
        case notAChronicleStore
        /// See ``SwiftDataError/unsupportedFileVersion``.
        case unsupportedFileVersion
        /// See ``SwiftDataError/fileReadOnly``.
        case fileReadOnly
        /// See ``SwiftDataError/missingDirectory``.
        case missingDirectory
        /// See ``SwiftDataError/damagedFile``.
        case damagedFile
        /// See ``SwiftDataError/duplicateConfiguration``.
        case duplicateConfiguration
        /// See ``SwiftDataError/backwardMigration``.
        case backwardMigration

        // Migrations

        /// See ``SwiftDataError/newerSchemaVersion``.
        case newerSchemaVersion
        /// See ``SwiftDataError/unknownSchemaVersion``.
        case unknownSchemaVersion
        /// See ``SwiftDataError/missingMigrationStage``.
        case missingMigrationStage
        /// See ``SwiftDataError/invalidMigrationPlan``.
        case invalidMigrationPlan

        // Models and contexts

        /// See ``SwiftDataError/missingModelContext``.
        case missingModelContext
        /// See ``SwiftDataError/modelNotFound``.
        case modelNotFound
        /// See ``SwiftDataError/contextMismatch``.
        case contextMismatch
        /// See ``SwiftDataError/unsavedChanges``.
        case unsavedChanges
        /// See ``SwiftDataError/modelValidationFailure``.
        case modelValidationFailure
        /// See ``SwiftDataError/valueOutOfRange``.
        case valueOutOfRange
        /// See ``SwiftDataError/uniquenessViolation``.
        case uniquenessViolation
        /// See ``SwiftDataError/deleteDenied``.
        case deleteDenied
        /// See ``SwiftDataError/undecodableValue``.
        case undecodableValue

        // Fetching

        /// See ``SwiftDataError/unsupportedPredicate``.
        case unsupportedPredicate
        /// See ``SwiftDataError/unsupportedSortDescriptor``.
        case unsupportedSortDescriptor
        /// See ``SwiftDataError/unsupportedKeyPath``.
        case unsupportedKeyPath

        // Stores

        /// See ``SwiftDataError/storeBusy``.
        case storeBusy
        /// See ``SwiftDataError/storeReadOnly``.
        case storeReadOnly
        /// See ``SwiftDataError/storeMoved``.
        case storeMoved
        /// See ``SwiftDataError/storeFull``.
        case storeFull
        /// See ``SwiftDataError/storeUnavailable``.
        case storeUnavailable
        /// See ``SwiftDataError/saveOutcomeUnknown``.
        case saveOutcomeUnknown
        /// See ``SwiftDataError/storeFailure``.
        case storeFailure
        /// See ``SwiftDataError/invalidStoreResponse``.
        case invalidStoreResponse
        /// See ``SwiftDataError/unsupportedFeature``.
        case unsupportedFeature

        // History

        /// See ``SwiftDataError/historyTokenExpired``.
        case historyTokenExpired
        /// See ``SwiftDataError/historyTokenForked``.
        case historyTokenForked
        /// See ``SwiftDataError/historyTokenStoreMismatch``.
        case historyTokenStoreMismatch
        /// See ``SwiftDataError/historyTokenAhead``.
        case historyTokenAhead
        /// See ``SwiftDataError/historyTokenGap``.
        case historyTokenGap
        /// See ``SwiftDataError/invalidTransactionFetchRequest``.
        case invalidTransactionFetchRequest
        /// See ``SwiftDataError/historyDisabled``.
        case historyDisabled
        /// See ``SwiftDataError/historyValueMissing``.
        case historyValueMissing
        /// See ``SwiftDataError/historyTagNotFound``.
        case historyTagNotFound
        /// See ``SwiftDataError/duplicateHistoryTag``.
        case duplicateHistoryTag
        /// See ``SwiftDataError/revertConflict``.
        case revertConflict

        // Exports and replays

        /// See ``SwiftDataError/invalidHistoryExport``.
        case invalidHistoryExport
        /// See ``SwiftDataError/historyReplayConflict``.
        case historyReplayConflict

        // Consumers

        /// See ``SwiftDataError/historyConsumerNotFound``.
        case historyConsumerNotFound
        /// See ``SwiftDataError/duplicateHistoryConsumer``.
        case duplicateHistoryConsumer
        /// See ``SwiftDataError/historyConsumerInUse``.
        case historyConsumerInUse
        /// See ``SwiftDataError/historyConsumerEvicted``.
        case historyConsumerEvicted
        /// See ``SwiftDataError/invalidHistoryAcknowledgement``.
        case invalidHistoryAcknowledgement

        // Configurations

        /// See ``SwiftDataError/configurationFileNameContainsInvalidCharacters``.
        case configurationFileNameContainsInvalidCharacters
        /// See ``SwiftDataError/configurationFileNameTooLong``.
        case configurationFileNameTooLong

        // Not thrown by Chronicle

        /// See ``SwiftDataError/includePendingChangesWithBatchSize``.
        case includePendingChangesWithBatchSize
        /// See ``SwiftDataError/sortingPendingChangesWithIdentifiers``.
        case sortingPendingChangesWithIdentifiers
        /// See ``SwiftDataError/configurationSchemaNotFoundInContainerSchema``.
        case configurationSchemaNotFoundInContainerSchema
    }
}

extension SwiftDataError.Code {
    var explanation: String {
        switch self {
        case .unknownSchema:
            "the schema does not contain the model; add its class to the container or to a configuration"
        case .invalidModel: "the declaration of the model is invalid; correct the class"
        case .unsupportedAttributeType:
            "the type of the attribute cannot be stored; conform it to Codable, or exclude the property with @Transient"
        case .loadIssueModelContainer: "the store could not be opened; check its URL and its configuration"
        case .notADatabase: "the file is not a database; specify another URL, or restore a backup"
        case .notAChronicleStore: "another program created the file; specify another URL"
        case .unsupportedFileVersion:
            "this version of Chronicle does not support the format of the file; use the version that wrote it"
        case .fileReadOnly:
            "the file or its directory cannot be written; change its permissions, or set `allowsSave` to `false`"
        case .missingDirectory: "the directory of the file does not exist; create it first"
        case .damagedFile: "the file is damaged; restore a backup"
        case .duplicateConfiguration: "two configurations have the same name or store; give each its own"
        case .backwardMigration:
            "the tables cannot be changed to match the models; make new properties optional, or declare default values"
        case .newerSchemaVersion: "the data has a later version than the models; update the program"
        case .unknownSchemaVersion: "the migration plan does not contain the version of the data; add it to `schemas`"
        case .missingMigrationStage:
            "the migration plan has no stages from the version of the data to that of the models; add the "
                + "missing stage to `stages`"
        case .invalidMigrationPlan: "the migration plan contradicts itself; correct its versions and stages"
        case .missingModelContext:
            "a context with unsaved changes was released; keep a reference to it, or roll back to continue without them"
        case .modelNotFound: "the row of the model does not exist; fetch the models again"
        case .contextMismatch:
            "the model belongs to another context; pass its persistentModelID and load the model in this context"
        case .unsavedChanges: "the context has unsaved changes; save them or roll back"
        case .modelValidationFailure: "the model is invalid; correct its values and save again"
        case .valueOutOfRange: "the store cannot represent the value; choose another one"
        case .uniquenessViolation: "another model has the same unique value; change one of them and save again"
        case .deleteDenied: "other models reference the deleted one; change their relationships, or delete them as well"
        case .undecodableValue:
            "the stored value is not valid for the type of the property; correct the value, or change the type"
        case .unsupportedPredicate: "the store cannot evaluate the predicate; rewrite it, or filter the fetched models"
        case .unsupportedSortDescriptor:
            "the store cannot sort by this; sort by a stored property, or sort the fetched models"
        case .unsupportedKeyPath: "the key path is not that of a suitable property; use another one"
        case .storeBusy: "another connection locked the store for too long; try again"
        case .storeReadOnly: "the store was opened for reading; open it with `allowsSave: true`"
        case .storeMoved: "the file was moved or replaced while it was open; move it back, or create a new container"
        case .storeFull: "no space is left; free space and try again"
        case .storeUnavailable: "the server cannot be reached; check the connection and try again"
        case .saveOutcomeUnknown:
            "the connection was lost during the commit; fetch the models and compare them before you save again"
        case .storeFailure: "the store failed; check the cause and the disk, and try again"
        case .invalidStoreResponse: "the store violated a requirement of its protocol; correct the store"
        case .unsupportedFeature: "the store does not support the request; avoid the feature, or use another store"
        case .historyTokenExpired:
            "the history after the token was deleted; fetch the models again, and continue from the current token"
        case .historyTokenForked:
            "the store has another transaction at the position of the token, because it was restored from "
                + "a backup or lost saves; fetch the models again, and continue from the current token"
        case .historyTokenStoreMismatch: "the token belongs to another store; use a token of this store"
        case .historyTokenAhead:
            "the history ends before the token, because the store was restored from a backup or lost "
                + "saves; fetch the models again, and continue from the current token"
        case .historyTokenGap:
            "the history after the token is incomplete; fetch the models again, and continue from the current token"
        case .invalidTransactionFetchRequest:
            "no store, or more than one, provides the transactions; use the transaction type of one store, "
                + "or pass its name"
        case .historyDisabled: "the store does not record its history; enable it in the configuration"
        case .historyValueMissing:
            "the history does not preserve the value; choose a later position, or preserve values from now on"
        case .historyTagNotFound: "no store has a tag of this name; choose one of tags()"
        case .duplicateHistoryTag: "a store already has a tag of this name; choose another name, or replace the tag"
        case .revertConflict:
            "the models were changed since; create a plan with revertPlan(for:) and resolve its conflicts"
        case .invalidHistoryExport:
            "the export is damaged or has a later format; replay a complete copy, or update Chronicle"
        case .historyReplayConflict:
            "the store changed the same models; undo its changes, or replay the export to a new store"
        case .historyConsumerNotFound: "no store has a consumer of this name; create it again"
        case .duplicateHistoryConsumer: "a store already has a consumer of this name; choose another name"
        case .historyConsumerInUse: "another instance of the consumer is reading; try again later"
        case .historyConsumerEvicted:
            "another instance of the consumer took over, or it was reset; discard the work of the batch, "
                + "and request the next one"
        case .invalidHistoryAcknowledgement:
            "the batch does not begin at the position of the consumer; discard its work, and request the next one"
        case .configurationFileNameContainsInvalidCharacters: "the name of the file is not valid; choose another name"
        case .configurationFileNameTooLong: "the name of the file is too long; choose a shorter name"
        case .includePendingChangesWithBatchSize: "a batch size cannot be combined with unsaved changes; save first"
        case .sortingPendingChangesWithIdentifiers: "identifiers of unsaved models cannot be sorted; save first"
        case .configurationSchemaNotFoundInContainerSchema:
            "the configuration contains a model that the container does not; add it to the container"
        }
    }
}
