@testable import ChronicleConformance

/// A way to violate one rule. There is one for each rule, except those about recovery and batches (``FileFault``) and
/// those about integrity, which an in-memory store does not have.
enum Fault: String, CaseIterable, Sendable {
    // Models
    case losesSignOfZero, losesAChange, repeatsIdentifiers, losesReferences, reusesKeys, swapsReferences,
        keepsReferences
    case keepsOneListMember, doesNotUpdateInverses, losesSelfReferences, deletesWithoutCascade, cascadesOneLevel,
        keepsNullifiedReferences
    case keepsDeletedRows, writesUnchangedValues, losesSaves, writesInTwoSteps, ignoresOtherStores
    case leavesPartsOfFailedSaves, comparesMissingValues, ignoresMissingRows, forgetsModels
    case erasesOneEntity, keepsErasedHistory, beginsAtTheNewestToken
    case losesUniqueRows, losesCompoundRows, failsForMissingRows
    // Links
    case readsLinksFromOneSide, movesLinks, losesSymmetricLinks, losesEmptyLinks, replacesLinks, keepsLinks,
        keepsLinksOfFailedSaves
    case linksToMissingRows
    // Queries
    case shufflesRows, comparesLikeSQL, confusesBounds, losesNilInLists, ignoresCase, searchesCaseSensitively,
        losesNilInNegations,
        dividesExactly, joinsInner
    case losesEmptyLists, ignoresSorts, sortsNilLast, ignoresOffsets, limitsBeforeSorting, countsWrongly
    case findsExcludedRows, looksUpOneRow
    // History
    case reversesHistory, repeatsTheToken, skipsTheSecondTransaction, skipsTheTwelfthTransaction, skipsOthersHistory,
        splitsTransactions
    case acceptsOnlyTheNewestToken, reportsAStalePosition, forgetsTypes, reportsAllAttributes, losesTombstones,
        splitsCascades
    case recordsFailedSaves, forgetsAuthors, losesUnsigned, losesTheFloor, skipsDeletions, acceptsAnyToken,
        acceptsAnyStart,
        deletesUpToAnyToken,
        deletesModelsToo
    case resetsPositions, losesThePosition, countsHistoryWrongly, ignoresHistoryOffsets, forgetsHistory,
        forgetsDeletions
    case recordsOneEnd, recordsEveryLink
    // Events
    case reportsNoOwnSaves, reportsFromTheSecondSave, reportsOnlyOwnSaves, reportsAfterCancellation
    // Consumers
    case losesAcknowledgements, losesAttempts, losesPages, savesWithoutAcknowledging, acknowledgesFailedSaves
    case sharesConsumers, losesFences, losesModelsOfSnapshots, copiesRenamedConsumers, forgetsConsumers
    // Retention
    case countsTooManyChanges, purgesEverything, keepsValuesOfRules, repeatsChangesOfPages, skipsToLargeTransactions

    /// The rule that the fault violates.
    var rule: StoreRule<FaultyStore> {
        switch self {
        case .losesSignOfZero: .everyTypeIsSaved
        case .losesAChange: .everyTypeIsChanged
        case .repeatsIdentifiers: .permanentIdentifiers
        case .losesReferences: .references
        case .reusesKeys: .identifiersAreNotReused
        case .swapsReferences: .bothSides
        case .keepsOneListMember: .listAssignments
        case .doesNotUpdateInverses: .oneToOne
        case .losesSelfReferences: .itself
        case .keepsReferences: .moving
        case .deletesWithoutCascade: .cascading
        case .cascadesOneLevel: .cascadingThroughLevels
        case .keepsNullifiedReferences: .nullifying
        case .keepsDeletedRows: .deletedModels
        case .writesUnchangedValues: .differentAttributes
        case .losesSaves: .concurrentSaves
        case .writesInTwoSteps: .isolatedReads
        case .ignoresOtherStores: .sharedSaves
        case .leavesPartsOfFailedSaves: .uniqueness
        case .comparesMissingValues: .missingValues
        case .ignoresMissingRows: .updatesOfDeletedRows
        case .losesUniqueRows: .uniqueInserts
        case .losesCompoundRows: .compoundInserts
        case .failsForMissingRows: .droppedUpdates
        case .forgetsModels: .savedModels
        case .erasesOneEntity: .erasedModels
        default: linkRule
        }
    }

    private var linkRule: StoreRule<FaultyStore> {
        switch self {
        case .readsLinksFromOneSide: .linksFromBothSides
        case .movesLinks: .linksWithoutInverse
        case .losesSymmetricLinks: .linkedFriends
        case .losesEmptyLinks: .linkPredicates
        case .replacesLinks: .linksByDifference
        case .keepsLinks: .unlinking
        case .keepsLinksOfFailedSaves: .linksOfFailedSaves
        case .linksToMissingRows: .linksToDeletedRows
        case .recordsOneEnd: .linksAreUpdates
        case .recordsEveryLink: .linksWithoutUpdates
        default: queryRule
        }
    }

    private var queryRule: StoreRule<FaultyStore> {
        switch self {
        case .shufflesRows: .stableOrder
        case .comparesLikeSQL: .equality
        case .confusesBounds: .order
        case .losesNilInLists: .membership
        case .ignoresCase: .text
        case .searchesCaseSensitively: .search
        case .losesNilInNegations: .conditions
        case .dividesExactly: .arithmetic
        case .joinsInner: .toOnePredicates
        case .losesEmptyLists: .toManyPredicates
        case .ignoresSorts: .sorts
        case .sortsNilLast: .compoundSorts
        case .ignoresOffsets: .pages
        case .limitsBeforeSorting: .slices
        case .countsWrongly: .counts
        case .findsExcludedRows: .unsavedChanges
        case .looksUpOneRow: .lookups
        default: historyRule
        }
    }

    private var historyRule: StoreRule<FaultyStore> {
        switch self {
        case .repeatsTheToken: .unique
        case .skipsTheSecondTransaction: .reliable
        case .skipsTheTwelfthTransaction: .reliableDuringWrites
        case .skipsOthersHistory: .sharedHistory
        case .splitsTransactions: .atomic
        case .acceptsOnlyTheNewestToken: .resumable
        case .reportsAStalePosition: .bookmarkable
        case .forgetsTypes: .insertsAreTyped
        case .reportsAllAttributes: .updatesAreNamed
        case .losesTombstones: .tombstones
        case .splitsCascades: .cascades
        case .recordsFailedSaves: .savesWithoutEffect
        case .forgetsAuthors: .signatures
        case .losesUnsigned: .unsigned
        case .losesTheFloor: .expired
        case .skipsDeletions: .expiredBetweenOthers
        case .acceptsAnyToken: .ofAnotherStore
        case .acceptsAnyStart: .startOfAnotherStore
        case .deletesUpToAnyToken: .deletingWithForeignToken
        case .deletesModelsToo: .modelsRemain
        case .resetsPositions: .positionsAreNotReused
        case .keepsErasedHistory: .erasedTransactions
        case .beginsAtTheNewestToken: .earliestToken
        case .losesThePosition: .saveResult
        case .countsHistoryWrongly: .counting
        case .ignoresHistoryOffsets: .sorting
        case .forgetsHistory: .tokensSurvive
        case .forgetsDeletions: .deletionsSurvive
        case .reportsNoOwnSaves: .ownEvents
        case .reportsFromTheSecondSave: .eventsAfterSubscription
        case .reportsOnlyOwnSaves: .sharedEvents
        case .reportsAfterCancellation: .cancelledObservations
        case .countsTooManyChanges: .statistics
        case .purgesEverything: .purging
        case .keepsValuesOfRules: .erasedValues
        case .repeatsChangesOfPages: .paging
        case .skipsToLargeTransactions: .largeTransactions
        default: consumerRule
        }
    }

    private var consumerRule: StoreRule<FaultyStore> {
        switch self {
        case .losesAcknowledgements: .consumersContinue
        case .losesAttempts: .attempts
        case .losesPages: .consumerPages
        case .savesWithoutAcknowledging: .savesWithAcknowledgement
        case .acknowledgesFailedSaves: .failedAcknowledgements
        case .sharesConsumers: .oneInstance
        case .losesFences: .eviction
        case .losesModelsOfSnapshots: .startingOver
        case .copiesRenamedConsumers: .renamedConsumers
        case .forgetsConsumers: .reopenedConsumers
        default: .ordered
        }
    }
}
