import Foundation
import SwiftData

func swiftDataError(_ error: SwiftDataError) -> Bool {
    use(SwiftDataError.self)  //= SwiftDataError
    use(error.localizedDescription)  //= SwiftDataError.localizedDescription
    use(error == .unknownSchema)  //= SwiftDataError.==(_:_:)
    var hasher = Hasher()
    error.hash(into: &hasher)  //= SwiftDataError.hash(into:)
    switch error as any Error {  //= SwiftDataError.~=(_:_:)
    case SwiftDataError.backwardMigration,  //= SwiftDataError.backwardMigration
        //= SwiftDataError.configurationFileNameContainsInvalidCharacters
        SwiftDataError.configurationFileNameContainsInvalidCharacters,
        SwiftDataError.configurationFileNameTooLong,  //= SwiftDataError.configurationFileNameTooLong
        //= SwiftDataError.configurationSchemaNotFoundInContainerSchema
        SwiftDataError.configurationSchemaNotFoundInContainerSchema,
        SwiftDataError.duplicateConfiguration,  //= SwiftDataError.duplicateConfiguration
        SwiftDataError.historyTokenExpired,  //= SwiftDataError.historyTokenExpired
        SwiftDataError.includePendingChangesWithBatchSize,  //= SwiftDataError.includePendingChangesWithBatchSize
        SwiftDataError.invalidTransactionFetchRequest,  //= SwiftDataError.invalidTransactionFetchRequest
        SwiftDataError.loadIssueModelContainer,  //= SwiftDataError.loadIssueModelContainer
        SwiftDataError.missingModelContext,  //= SwiftDataError.missingModelContext
        SwiftDataError.modelValidationFailure,  //= SwiftDataError.modelValidationFailure
        SwiftDataError.sortingPendingChangesWithIdentifiers,  //= SwiftDataError.sortingPendingChangesWithIdentifiers
        SwiftDataError.unknownDataStoreSchema,  //= SwiftDataError.unknownDataStoreSchema
        SwiftDataError.unknownSchema,  //= SwiftDataError.unknownSchema
        SwiftDataError.unsupportedKeyPath,  //= SwiftDataError.unsupportedKeyPath
        SwiftDataError.unsupportedPredicate,  //= SwiftDataError.unsupportedPredicate
        SwiftDataError.unsupportedSortDescriptor:  //= SwiftDataError.unsupportedSortDescriptor
        return true
    default: return false
    }
}

func dataStoreError(_ error: DataStoreError) -> Bool {
    use(DataStoreError.self)  //= DataStoreError
    use(error.localizedDescription)  //= DataStoreError.localizedDescription
    var hasher = Hasher()
    error.hash(into: &hasher)  //= DataStoreError.hash(into:)
    switch error as any Error {
    case DataStoreError.invalidPredicate,  //= DataStoreError.invalidPredicate
        DataStoreError.preferInMemoryFilter,  //= DataStoreError.preferInMemoryFilter
        DataStoreError.preferInMemorySort,  //= DataStoreError.preferInMemorySort
        DataStoreError.unsupportedFeature:  //= DataStoreError.unsupportedFeature
        return true
    default: return false
    }
}
