import Chronicle
import ChronicleTestSupport
import Testing

@MainActor @Suite struct ResultsObserverErrorTests {
    @Test(arguments: StoreKind.allCases)
    func errorsOfTheProgramAreThrownByItsSave(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (context, other) = (store.context(), store.context())
        let observer = try ResultsObserver<Trip, Never>(modelContext: context)
        let foreign = Trip(name: "a", destination: "Rome")
        other.insert(foreign)
        context.insert(foreign)
        context.insert(Trip(name: "b", destination: "Rome"))
        for _ in 1...2 { #expect(observer.results.map(\.name) == ["b"] && observer.error == nil) }
        #expect(throws: SwiftDataError.contextMismatch) { try context.save() }
        try context.save()
        #expect(observer.results.map(\.name) == ["b"])
    }
}
