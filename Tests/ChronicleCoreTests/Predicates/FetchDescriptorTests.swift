import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Fetch descriptors are equal if they fetch the same models.
@Suite struct FetchDescriptorTests {
    private func named(_ name: String) -> FetchDescriptor<Trip> {
        FetchDescriptor(predicate: #Predicate { $0.name == name }, sortBy: [SortDescriptor(\.startDate)])
    }

    @Test func descriptorsWithTheSameContentAreEqual() {
        #expect(named("a") == named("a"))
        #expect(FetchDescriptor<Trip>() == FetchDescriptor())
        let withItem = { (name: String) in
            FetchDescriptor<Trip>(
                predicate: #Predicate { $0.bucketList.contains { $0.title == name } && !$0.name.isEmpty })
        }
        #expect(withItem("a") == withItem("a"))
        #expect(withItem("a") != withItem("b"))
    }

    @Test func descriptorsDifferInEveryPart() {
        let descriptor = named("a")
        let others: [(inout FetchDescriptor<Trip>) -> Void] = [
            { $0.predicate = nil },
            { $0.predicate = #Predicate { $0.destination == "a" } },
            { $0.predicate = #Predicate { $0.name != "a" } },
            { $0.sortBy = [] },
            { $0.sortBy = [SortDescriptor(\.startDate, order: .reverse)] },
            { $0.fetchLimit = 1 },
            { $0.fetchOffset = 1 },
            { $0.includePendingChanges = false },
            { $0.relationshipKeyPathsForPrefetching = [\.bucketList] },
            { $0.propertiesToFetch = [\.name] },
        ]
        for change in others {
            var other = descriptor
            change(&other)
            #expect(other != descriptor && other == other)
        }
        #expect(named("a") != named("b"))
    }

    @Test func identifiersOfTwoStoresDiffer() throws {
        let identifiers = try ["one", "other"].map {
            try PersistentIdentifier.identifier(for: $0, entityName: "Trip", primaryKey: 1)
        }
        let descriptors = identifiers.map { identifier in
            FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == identifier })
        }
        #expect(descriptors[0] != descriptors[1])
        #expect(descriptors[0] == descriptors[0])
        let lists = identifiers.map { identifier in
            FetchDescriptor<Trip>(predicate: #Predicate { [identifier].contains($0.persistentModelID) })
        }
        #expect(lists[0] != lists[1] && lists[0] == lists[0])
    }

    /// The content of a JSON attribute cannot be translated, so these predicates have no trees to compare.
    @Test func predicatesThatCannotBeTranslatedAreComparedByTheirDescriptions() {
        let tagged = { (name: String) in FetchDescriptor<Trip>(predicate: #Predicate { $0.tags.contains(name) }) }
        #expect(tagged("a") == tagged("a"))
        #expect(tagged("a") != tagged("b"))
        #expect(tagged("a") != named("a"))
    }
}
