import Chronicle

@testable import ChronicleConformance
@testable import ChronicleConformanceWorker

extension FileFault {
    var rule: StoreRule<FaultyFileStore> {
        switch self {
        case .losesReturnedSaves: .acknowledgedSaves
        case .savesInHalves: .atomicAfterKills
        case .losesTheLastTransaction: .historyAfterKills
        case .forgetsEarlierTokens: .tokensAfterKills
        case .acceptsTokensAhead: .ahead
        case .acceptsForkedTokens: .forked
        case .ignoresGaps: .gap
        case .writesOverOthers: .processSaves
        case .attributesOtherProcesses: .processHistory
        case .deletesOtherRows: .batchDeletes
        case .deletesInSteps: .batchTransactions
        case .updatesOtherRows: .batchUpdates
        case .updatesInSteps: .batchUpdateTransactions
        case .reportsOneProcess: .processEvents
        case .fetchesOneClass: .subclassFetches
        case .deletesSubclasses: .subclassBatches
        case .recordsSuperclasses: .subclassChanges
        case .readsThePresent: .earlierModels
        case .losesRestoredModels: .restoredModels
        case .ignoresTakenIdentifiers: .takenIdentifiers
        case .skipsModelHistory: .modelHistoryPages
        case .continuesAfterDeletedHistory: .expiredModelHistory
        case .movesTags: .taggedPositions
        case .replacesTags: .uniqueTags
        case .forgetsTags: .reopenedTags
        case .ignoresMigrationPlans: .migratedModels
        case .keepsFailedMigrations: .failedMigrations
        case .acceptsLaterVersions: .laterVersions
        case .exportsPartOfTheModels: .exportedRows
        case .forgetsReplays: .replayedExports
        case .overwritesReplicas: .replayConflicts
        }
    }
}

extension StoreFixture<FaultyFileStore.Configuration> {
    static var faulty: StoreFixture {
        var fixture = file(\.file.url, recordsHistory: \.file.recordsHistory)
        fixture.worker = StoreWorker(program: programURL("ChronicleConformanceWorker"), place: \.place)
        return fixture
    }
}
