import Chronicle

@testable import ChronicleConformance
@testable import ChronicleConformanceWorker

extension FileFault {
    var rule: StoreRule<FaultyFileStore> {
        switch self {
        case .losesReturnedSaves: .acknowledgedSaves
        case .savesInHalves: .wholeAfterKills
        case .losesTheLastTransaction: .agreementAfterKills
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

extension StoreTools<FaultyFileStore.Configuration> {
    static var faulty: StoreTools {
        var tools = file(\.file.url, recordsHistory: \.file.recordsHistory)
        tools.worker = StoreWorker(program: programURL("ChronicleConformanceWorker"), place: \.place)
        return tools
    }
}
