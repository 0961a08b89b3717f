@testable import ChronicleTesting

/// A way to break one rule. There is one for each.
enum Fault: String, CaseIterable, Sendable {
    // Models
    case losesSigns, losesAChange, repeatsIdentifiers, losesReferences, reusesKeys, mixesReferences, keepsReferences
    case deletesOnlyOne, keepsWhatIsNullified, comparesLikeSQL, ignoresSorts, ignoresOffsets, countsWrongly
    case keepsDeletedRows, writesUnchangedValues, losesSaves, writesInTwoSteps, leavesPartsOfFailedSaves
    case passesOverLostRows, forgetsModels
    // History
    case reversesHistory, repeatsTheToken, leavesOutTheSecond, leavesOutTheTwelfth, splitsTransactions
    case knowsOnlyTheNewestToken, hasAStalePosition, forgetsTypes, namesEverything, losesTombstones, splitsCascades
    case recordsFailures, forgetsAuthors, losesUnsigned, forgetsTheFloor, takesAnyToken, deletesModelsToo
    case resetsPositions, forgetsThePosition, countsHistoryWrongly, ignoresHistoryOffsets, forgetsHistory

    /// The rule that it breaks.
    var rule: StoreRule<FaultyStore> {
        switch self {
        case .losesSigns: .everyTypeIsSaved
        case .losesAChange: .everyTypeIsChanged
        case .repeatsIdentifiers: .permanentIdentifiers
        case .losesReferences: .references
        case .reusesKeys: .identifiersAreNotReused
        case .mixesReferences: .bothSides
        case .keepsReferences: .moving
        case .deletesOnlyOne: .cascading
        case .keepsWhatIsNullified: .nullifying
        case .comparesLikeSQL: .predicates
        case .ignoresSorts: .sorts
        case .ignoresOffsets: .pages
        case .countsWrongly: .counts
        case .keepsDeletedRows: .deletedRows
        case .writesUnchangedValues: .differentAttributes
        case .losesSaves: .savesSideBySide
        case .writesInTwoSteps: .wholeSaves
        case .leavesPartsOfFailedSaves: .uniqueness
        case .passesOverLostRows: .lostRows
        case .forgetsModels: .savedModels
        default: historyRule
        }
    }

    private var historyRule: StoreRule<FaultyStore> {
        switch self {
        case .repeatsTheToken: .unique
        case .leavesOutTheSecond: .reliable
        case .leavesOutTheTwelfth: .reliableBesideWriters
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
        case .deletesModelsToo: .modelsStay
        case .resetsPositions: .positionsAreNotReused
        case .forgetsThePosition: .saveResult
        case .countsHistoryWrongly: .counting
        case .ignoresHistoryOffsets: .sorting
        case .forgetsHistory: .tokensSurvive
        default: .ordered
        }
    }
}
