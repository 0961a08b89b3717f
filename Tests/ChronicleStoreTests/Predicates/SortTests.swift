import Chronicle
import Foundation
import Testing

@Suite("Sorting in the store")
struct SortTests {
    private let store: SightStore

    init() throws { store = try SightStore() }

    /// Expects the order in which Foundation sorts the rows, which are initially in the order of their keys.
    private func agree(
        _ descriptors: [SortDescriptor<Sight>], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try store.context.fetch(FetchDescriptor(sortBy: descriptors))
        var expected = try store.context.fetch(FetchDescriptor<Sight>())
        expected.sort(using: descriptors)
        #expect(found.map(\.name) == expected.map(\.name), sourceLocation: location)
    }

    @Test("The order matches Foundation, with nil first and ties by key")
    func order() throws {
        for order in [SortOrder.forward, .reverse] {
            try agree([SortDescriptor(\.name, order: order)])
            try agree([SortDescriptor(\.note, order: order)])
            try agree([SortDescriptor(\.rank, order: order)])
            try agree([SortDescriptor(\.score, order: order), SortDescriptor(\.name)])
            try agree([SortDescriptor(\.closed, order: order), SortDescriptor(\.rank, order: .reverse)])
            try agree([SortDescriptor(\.code, order: order)])
            try agree([SortDescriptor(\.persistentModelID, order: order), SortDescriptor(\.name)])
            try agree([SortDescriptor(\.name, comparator: .lexical, order: order)])
            try agree([SortDescriptor(\.note, comparator: .lexical, order: order)])
            try agree([SortDescriptor(\.price, order: order)])
            try agree([SortDescriptor(\.region?.name, order: order), SortDescriptor(\.name)])
            try agree([SortDescriptor(\.region?.code, order: order), SortDescriptor(\.region?.name)])
            try agree([SortDescriptor(\.size.height, order: order), SortDescriptor(\.size.width)])
        }
    }

    @Test("NaN sorts last")
    func notANumber() throws {
        let costs = try store.context.fetch(FetchDescriptor<Sight>(sortBy: [SortDescriptor(\.cost)])).map(\.cost)
        #expect(costs.last?.isNaN == true)
        #expect(costs.dropLast() == costs.dropLast().sorted()[...])
    }

    @Test("Pages are contiguous")
    func pages() throws {
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

    @Test("Sorting by an attribute that is not stored in its order throws")
    func unsupported() throws {
        func expect(_ detail: String, _ descriptor: SortDescriptor<Sight>) {
            let error = #expect(throws: SwiftDataError.self) {
                try store.context.fetch(FetchDescriptor(sortBy: [descriptor]))
            }
            #expect(error == .unsupportedSortDescriptor)
            #expect(error?.entityName == "Sight")
            #expect(error?.detail?.contains(detail) == true, "\(error?.detail ?? "no detail")")
        }
        expect("Level", SortDescriptor(\.level))
        expect("a computed property of Size is not in its JSON; use a stored", SortDescriptor(\.size.area))
        expect(#"\Sight.name.… (Int) is not a stored property"#, SortDescriptor(\.name.count))
    }
}
