@testable import ChronicleConformance

/// A way to break one rule. There is one for each, but for those about recovery and batches (``FileFault``) and those about
/// integrity, which a store of memory does not have.
enum Fault: String, CaseIterable, Sendable {
    // Models
    case losesSigns, losesAChange, repeatsIdentifiers, losesReferences, reusesKeys, mixesReferences, keepsReferences
    case keepsOneOfAList, leavesTheOtherSide, losesItself, deletesOnlyOne, deletesOnlyTwo, keepsWhatIsNullified
    case keepsDeletedRows, writesUnchangedValues, losesSaves, writesInTwoSteps, seesOnlyItsOwn
    case leavesPartsOfFailedSaves, comparesMissingValues, passesOverLostRows, forgetsModels
    // Links
    case readsLinksOneWay, movesLinks, forgetsFriends, losesEmptyLinks, replacesLinks, keepsLinks, linksInAnyCase
    case linksToNothing
    // Queries
    case shufflesRows, comparesLikeSQL, confusesBounds, losesNilInLists, ignoresCase, mindsCase, losesNilInNegations,
        dividesExactly, joinsInner
    case losesEmptyLists, ignoresSorts, sortsNilLast, ignoresOffsets, limitsBeforeSorting, countsWrongly
    case findsExcludedRows, looksUpOneRow
    // History
    case reversesHistory, repeatsTheToken, leavesOutTheSecond, leavesOutTheTwelfth, skipsOthersHistory,
        splitsTransactions
    case knowsOnlyTheNewestToken, hasAStalePosition, forgetsTypes, namesEverything, losesTombstones, splitsCascades
    case recordsFailures, forgetsAuthors, losesUnsigned, forgetsTheFloor, takesAnyToken, deletesUpToAnyToken,
        deletesModelsToo
    case resetsPositions, forgetsThePosition, countsHistoryWrongly, ignoresHistoryOffsets, forgetsHistory,
        forgetsDeletions
    case recordsOneEnd, recordsEveryLink

    /// The rule that it breaks.
    var rule: StoreRule<FaultyStore> {
        switch self {
        case .losesSigns: .everyTypeIsSaved
        case .losesAChange: .everyTypeIsChanged
        case .repeatsIdentifiers: .permanentIdentifiers
        case .losesReferences: .references
        case .reusesKeys: .identifiersAreNotReused
        case .mixesReferences: .bothSides
        case .keepsOneOfAList: .listsByAnyWay
        case .leavesTheOtherSide: .oneToOne
        case .losesItself: .itself
        case .keepsReferences: .moving
        case .deletesOnlyOne: .cascading
        case .deletesOnlyTwo: .cascadingDown
        case .keepsWhatIsNullified: .nullifying
        case .keepsDeletedRows: .deletedRows
        case .writesUnchangedValues: .differentAttributes
        case .losesSaves: .savesSideBySide
        case .writesInTwoSteps: .wholeSaves
        case .seesOnlyItsOwn: .sharedSaves
        case .leavesPartsOfFailedSaves: .uniqueness
        case .comparesMissingValues: .missingValues
        case .passesOverLostRows: .lostRows
        case .forgetsModels: .savedModels
        default: linkRule
        }
    }

    private var linkRule: StoreRule<FaultyStore> {
        switch self {
        case .readsLinksOneWay: .linkedSides
        case .movesLinks: .linkedAlone
        case .forgetsFriends: .linkedFriends
        case .losesEmptyLinks: .linkPredicates
        case .replacesLinks: .linksByDifference
        case .keepsLinks: .unlinking
        case .linksInAnyCase: .linksOfFailedSaves
        case .linksToNothing: .linksToLostRows
        case .recordsOneEnd: .linksAreUpdates
        case .recordsEveryLink: .linksBesideInserts
        default: queryRule
        }
    }

    private var queryRule: StoreRule<FaultyStore> {
        switch self {
        case .shufflesRows: .orderStays
        case .comparesLikeSQL: .equality
        case .confusesBounds: .order
        case .losesNilInLists: .membership
        case .ignoresCase: .text
        case .mindsCase: .search
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
        case .leavesOutTheSecond: .reliable
        case .leavesOutTheTwelfth: .reliableBesideWriters
        case .skipsOthersHistory: .sharedHistory
        case .splitsTransactions: .atomic
        case .knowsOnlyTheNewestToken: .resumable
        case .hasAStalePosition: .bookmarkable
        case .forgetsTypes: .insertsAreTyped
        case .namesEverything: .updatesAreNamed
        case .losesTombstones: .tombstones
        case .splitsCascades: .cascades
        case .recordsFailures: .silence
        case .forgetsAuthors: .signatures
        case .losesUnsigned: .unsigned
        case .forgetsTheFloor: .expired
        case .takesAnyToken: .ofAnotherStore
        case .deletesUpToAnyToken: .foreignDelete
        case .deletesModelsToo: .modelsStay
        case .resetsPositions: .positionsAreNotReused
        case .forgetsThePosition: .saveResult
        case .countsHistoryWrongly: .counting
        case .ignoresHistoryOffsets: .sorting
        case .forgetsHistory: .tokensSurvive
        case .forgetsDeletions: .deletionsSurvive
        default: .ordered
        }
    }
}
