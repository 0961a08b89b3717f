import Chronicle
import ChronicleTestSupport
import Testing

// The listings of the guide about the history of a model and its parts.

/// Returns a line for each change of a trip, its list and its accommodation.
func plan(of trip: Trip, in context: ModelContext) throws -> [String] {
    try context.history(of: trip, including: \.bucketList, \.livingAccommodation).map { entry in
        let path = entry.paths.first ?? "trip"
        let author = entry.transaction.author ?? "unknown"
        return "\(author): \(entry.kind) \(path) \(entry.updatedAttributeNames.sorted().joined(separator: ", "))"
    }
}

/// Changes a trip, its list and its accommodation back to what they were.
func restorePlan(of trip: Trip, to token: DefaultHistoryToken, in context: ModelContext) throws {
    try context.revert(trip, to: token, including: \.bucketList, \.livingAccommodation)
    try context.save()
}

@Suite struct AggregateListings {
    @Test(arguments: StoreKind.allCases)
    func partsAreListedAndRestored(_ kind: StoreKind) throws {
        let types: [any PersistentModel.Type] = [Trip.self, BucketListItem.self, LivingAccommodation.self]
        let test = try TestStore(kind, types, preservesValues: true)
        let context = test.context(author: "alice")
        let (trip, other) = (Trip(name: "Summer", destination: "Rome"), Trip(name: "Winter", destination: "Oslo"))
        let item = BucketListItem(title: "Colosseum")
        context.insert(trip)
        context.insert(other)
        context.insert(item)
        try context.save()
        item.trip = trip
        try context.save()
        let token = try context.currentHistoryToken()
        context.author = "bob"
        item.title = "Forum"
        try context.save()
        item.trip = other
        try context.save()
        item.title = "Harbour"
        try context.save()

        #expect(
            try plan(of: trip, in: context) == [
                "alice: insert trip ", "alice: update bucketList trip", "bob: update bucketList title",
                "bob: update bucketList trip",
            ])
        try restorePlan(of: trip, to: token, in: context)
        #expect(trip.bucketList.map(\.title) == ["Colosseum"] && other.bucketList.isEmpty)
    }
}
