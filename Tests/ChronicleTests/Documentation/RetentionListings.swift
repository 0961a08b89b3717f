import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listing of the guide about rules for preserved values.

let retention = HistoryRetention(
    maximumAge: .seconds(365 * 86_400),
    valueRules: [
        // The previous notes of trips for 30 days, the items of bucket lists for a week.
        PreservedValueRule(\Trip.note, maximumAge: .seconds(30 * 86_400)),
        PreservedValueRule(BucketListItem.self, maximumAge: .seconds(7 * 86_400)),
    ])

@Suite struct RetentionListings {
    @Test func oldNotesAreErased() async throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        trip.note = "secret"
        try context.save()
        #expect(retention.hasLimit && retention.valueRules.map(\.entityName) == ["Trip", "BucketListItem"])
        #expect(retention.valueRules.map(\.attributeName) == ["note", nil])
        #expect(try await store.container.purgeHistory(retention).map(\.values) == [0])
        try store.foreign("UPDATE chronicle_change SET primary_key = primary_key - 31 * 86400 WHERE kind < 0")
        let result = try await store.container.purgeHistory(retention)
        #expect(result[0].values > 0 && result.map(\.changes) == [0])
    }
}
