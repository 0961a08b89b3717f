import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Every call that takes a position rejects those that the history cannot describe, with the same errors.
@Suite struct PositionErrorTests {
    enum Position: CaseIterable {
        case beforeTheFloor, afterTheNewest, ofAnotherStore, beforeAGap

        var error: SwiftDataError {
            switch self {
            case .beforeTheFloor: .historyTokenExpired
            case .afterTheNewest: .historyTokenAhead
            case .ofAnotherStore: .historyTokenStoreMismatch
            case .beforeAGap: .historyTokenGap
            }
        }
    }

    enum Call: CaseIterable {
        case asOf, changesFrom, changesTo, revertPlan, revert, history, export, exportThrough

        func run(_ context: ModelContext, _ token: DefaultHistoryToken) throws {
            let newest = try context.currentHistoryToken()
            switch self {
            case .asOf: _ = try ModelContext(context.container, asOf: token)
            case .changesFrom: _ = try context.changes(between: token, and: newest)
            case .changesTo: _ = try context.changes(between: newest, and: token)
            case .revertPlan: _ = try context.revertPlan(between: token, and: newest)
            case .revert: try context.revert(between: token, and: newest)
            case .history: _ = try context.fetchHistory(.after(token))
            case .exportThrough: try context.container.exportHistory(through: token) { _ in }
            case .export: try context.container.exportHistory(startingAt: .token(token)) { _ in }
            }
        }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(recordsHistory: Bool = true) throws -> ModelContainer {
        try ModelContainer(
            for: Schema([LinkPhoto.self]),
            configurations: [
                ModelConfiguration(
                    url: directory.file("test.store"), recordsHistory: recordsHistory, preservesValues: true)
            ])
    }

    private func insert(_ name: String, _ container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(LinkPhoto(name))
        try context.save()
    }

    private func token(_ position: Position) throws -> DefaultHistoryToken {
        let container = try container()
        let context = ModelContext(container)
        for name in ["a", "b", "c"] { try insert(name, container) }
        let tokens = try context.fetchHistory(Descriptor()).map(\.token)
        switch position {
        case .beforeTheFloor:
            try context.deleteHistory(.before(tokens[1]))
            return tokens[0]
        case .afterTheNewest:
            return DefaultHistoryToken(
                storeIdentifier: try #require(container.stores.first).identifier, position: 4_711)
        case .ofAnotherStore: return DefaultHistoryToken(storeIdentifier: "another", position: 1)
        case .beforeAGap:
            try insert("d", self.container(recordsHistory: false))
            return tokens[2]
        }
    }

    @Test(arguments: Position.allCases, Call.allCases)
    func aPositionThatIsNotInTheHistoryIsRejected(_ position: Position, _ call: Call) throws {
        let token = try token(position)
        let container = try container()
        if position == .beforeAGap { try insert("e", container) }
        let context = ModelContext(container)
        // An export without its beginning would begin with the present models, which are later than the end.
        let isBeforeSnapshot = call == .exportThrough && position == .beforeAGap
        let error = isBeforeSnapshot ? SwiftDataError.historyTokenExpired : position.error
        #expect(try failure { try call.run(context, token) } == error)
        // Nothing was done, and the context can be used.
        #expect(!context.hasChanges)
        #expect(try context.fetchCount(FetchDescriptor<LinkPhoto>()) == (position == .beforeAGap ? 5 : 3))
    }
}
