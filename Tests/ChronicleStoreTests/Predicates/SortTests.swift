import Chronicle
import Foundation
import Testing

@Suite("Sorting in the store")
struct SortTests {
    /// Expects the order in which Foundation sorts the rows, which are initially in the order of their keys.
    private func agree(
        _ descriptors: [SortDescriptor<Sight>], _ store: SightStore, _ location: SourceLocation = #_sourceLocation
    ) throws {
        if try SQLRecorder.records(FetchDescriptor(sortBy: descriptors), in: store.container) { return }
        let found = try store.context.fetch(FetchDescriptor(sortBy: descriptors))
        var expected = try store.context.fetch(FetchDescriptor<Sight>())
        expected.sort(using: descriptors)
        #expect(found.map(\.name) == expected.map(\.name), sourceLocation: location)
    }

    @Test("The order matches Foundation, with nil first and ties by key", arguments: PredicateFixture.all)
    func order(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        for order in [SortOrder.forward, .reverse] {
            try agree([SortDescriptor(\.name, order: order)], store)
            try agree([SortDescriptor(\.note, order: order)], store)
            try agree([SortDescriptor(\.rank, order: order)], store)
            try agree([SortDescriptor(\.score, order: order), SortDescriptor(\.name)], store)
            try agree([SortDescriptor(\.closed, order: order), SortDescriptor(\.rank, order: .reverse)], store)
            try agree([SortDescriptor(\.code, order: order)], store)
            try agree([SortDescriptor(\.persistentModelID, order: order), SortDescriptor(\.name)], store)
            try agree([SortDescriptor(\.name, comparator: .lexical, order: order)], store)
            try agree([SortDescriptor(\.note, comparator: .lexical, order: order)], store)
            try agree([SortDescriptor(\.price, order: order)], store)
            try agree([SortDescriptor(\.region?.name, order: order), SortDescriptor(\.name)], store)
            try agree([SortDescriptor(\.region?.code, order: order), SortDescriptor(\.region?.name)], store)
            try agree([SortDescriptor(\.size.height, order: order), SortDescriptor(\.size.width)], store)
        }
    }

    @Test("NaN sorts last", arguments: PredicateFixture.all)
    func notANumber(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        let costs = try store.context.fetch(FetchDescriptor<Sight>(sortBy: [SortDescriptor(\.cost)])).map(\.cost)
        #expect(costs.last?.isNaN == true)
        #expect(costs.dropLast() == costs.dropLast().sorted()[...])
    }

    @Test("Pages are contiguous", arguments: PredicateFixture.all)
    func pages(_ fixture: PredicateFixture) throws {
        let store = try SightStore(fixture)
        var descriptor = FetchDescriptor<Sight>(sortBy: [SortDescriptor(\.opened)])
        let all = try store.context.fetch(descriptor).map(\.name)
        descriptor.fetchLimit = 3
        var paged: [String] = []
        for offset in stride(from: 0, to: 9, by: 3) {
            descriptor.fetchOffset = offset
            paged += try store.context.fetch(descriptor).map(\.name)
        }
        #expect(paged == all)
        #expect(try store.context.fetchCount(descriptor) == 2)
    }

    @Test("Sorting by an attribute that is not stored in its order throws", arguments: [false, true])
    func unsupported(hasUnsavedChanges: Bool) throws {
        let store = try SightStore()
        if hasUnsavedChanges { store.sights[0].name += "." }
        func expect(_ detail: String, _ descriptor: SortDescriptor<Sight>) {
            let error = #expect(throws: SwiftDataError.self) {
                try store.context.fetch(FetchDescriptor(sortBy: [descriptor]))
            }
            #expect(error == .unsupportedSortDescriptor)
            #expect(error?.entityName == "Sight")
            #expect(error?.detail?.contains(detail) == true, "\(error?.detail ?? "no detail")")
            #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try store.context.fetchIdentifiers(FetchDescriptor(sortBy: [descriptor]))
            }
            #expect(throws: Never.self) { try store.context.fetchCount(FetchDescriptor(sortBy: [descriptor])) }
        }
        expect("Level", SortDescriptor(\.level))
        expect("a computed property of Size is not in its JSON; use a stored", SortDescriptor(\.size.area))
        expect(#"\Sight.name.… (Int) is not a stored property of Sight; sort by"#, SortDescriptor(\.name.count))
    }
}
