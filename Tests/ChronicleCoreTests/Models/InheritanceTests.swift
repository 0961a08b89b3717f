import Chronicle
import ChronicleTestSupport
import Testing

/// A class that inherits from a model and is no model itself compiles. The first use of it throws an error.
@Suite struct InheritanceTests {
    private static let message =
        "Express inherits from the model Train but is not a model itself; attach @Model to it (without macros, override "
        + "modelSubclass), and declare modelSubclass in Train"

    private func expectRefusal(_ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        let error = #expect(throws: SwiftDataError.self, sourceLocation: location) { try body() }
        #expect(error == .invalidModel && error?.entityName == "Express", sourceLocation: location)
        #expect(error?.detail == Self.message, sourceLocation: location)
    }

    @Test func creatingAContainerThrows() {
        expectRefusal { try Schema(Express.self).validate() }
        expectRefusal {
            _ = try ModelContainer(
                for: Train.self, Express.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        }
    }

    @Test(arguments: StoreKind.allCases) func usingAContextThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Train.self])
        let context = store.context()
        context.insert(Express())
        expectRefusal { try context.save() }
        expectRefusal { _ = try store.context().fetch(FetchDescriptor<Express>()) }
        expectRefusal { _ = try store.context().fetchCount(FetchDescriptor<Express>()) }
        expectRefusal { try store.context().delete(model: Express.self) }
        #expect(try store.context().fetchCount(FetchDescriptor<Train>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func declaringARelationshipThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Train.self])
        let (before, after) = (store.context(), store.context())
        let (first, second) = (Wagon(), Wagon())
        first.train = Express()
        before.insert(first)
        expectRefusal { try before.save() }
        after.insert(second)
        second.train = Express()
        expectRefusal { try after.save() }
    }
}

@Model private class Train {
    var number = 0
    var wagons: [Wagon] = []
    init() {}
}

@Model private final class Wagon {
    var train: Train?
}

private class Express: Train {
    var surcharge = 1.5
}
