import Chronicle
import ChronicleTestSupport
import Testing

@testable import ChronicleCore

/// Attributes that are not where the schema found them. No class is known whose attributes are; a change of one would be
/// lost.
@Suite struct UnknownAttributeTests {
    @Test(arguments: StoreKind.allCases)
    func aChangeThatCannotBeSavedIsAnErrorOfEverySave(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        context.insert(trip)
        try context.save()
        // Every object begins there, and no attribute.
        trip.persistentBackingData.willChange(at: 0)
        for _ in 0..<2 {
            let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
            #expect(error?.persistentIdentifier == trip.persistentModelID)
        }
        context.rollback()
        try context.save()
    }
}
