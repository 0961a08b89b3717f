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
        case .takesTokensFromAhead: .ahead
        case .takesForkedTokens: .forked
        case .passesOverGaps: .gap
        case .writesOverOthers: .processSaves
        case .takesOthersForItself: .processHistory
        case .deletesWhatDoesNotMatch: .batchDeletes
        case .deletesInSteps: .batchTransactions
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
