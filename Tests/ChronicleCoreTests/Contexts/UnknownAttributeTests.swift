import Chronicle
import ChronicleTestSupport
import Testing

@testable import ChronicleCore

/// Attributes that are not at the offset that the schema determined. No class with such attributes is known; without
/// the error, their changes would be lost.
@Suite struct UnknownAttributeTests {
    @Test(arguments: StoreKind.allCases)
    func everySaveThrowsForAnUnknownAttribute(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        context.insert(trip)
        try context.save()
        // The start of every object, where no attribute can be.
        trip.persistentBackingData.willChange(at: 0)
        for _ in 0..<2 {
            let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
            #expect(error?.persistentIdentifier == trip.persistentModelID)
        }
        context.rollback()
        try context.save()
    }
}
