import Chronicle
import ChronicleTestSupport
import Foundation

/// Makes random changes of every kind, a transaction at a time.
struct RandomEdits {
    var random: SplitMix
    private var counter = 0

    init(_ number: Int) { random = TestSeed.generator(number) }

    private mutating func name() -> String {
        counter += 1
        // Short lists of values, so that attributes get earlier values again.
        return "n\(random.below(4))"
    }

    /// Changes some models and saves them.
    mutating func save(_ context: ModelContext) throws {
        for _ in 0...random.below(4) { try edit(context) }
        try context.save()
    }

    private mutating func edit(_ context: ModelContext) throws {
        let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        let (items, tags, photos) = (try context.items(), try context.linkTags(), try context.photos())
        switch random.below(16) {
        case 0, 1:
            counter += 1
            let trip = Trip(
                name: name(), destination: name(), startDate: Date(timeIntervalSinceReferenceDate: Double(counter)))
            context.insert(trip)
            if random.below(2) == 0 {
                trip.bucketList = [BucketListItem(title: name()), BucketListItem(title: name())]
            }
            if random.below(2) == 0 { trip.livingAccommodation = LivingAccommodation(placeName: name()) }
        case 2, 3:
            context.insert(LinkItem(name(), tags: tags.filter { _ in random.below(2) == 0 }))
        case 4:
            context.insert(LinkTag(name(), weight: random.below(3)))
            context.insert(LinkPhoto(name()))
        case 5: trips.first?.destination = name()
        case 6: if let trip = trips.last { trip.note = trip.note == nil ? name() : nil }
        case 7: if !trips.isEmpty { random.pick(trips).tags = [name(), name()] }
        case 8:
            let rest = try context.fetch(FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)]))
            guard !rest.isEmpty else { return }
            let item = random.pick(rest)
            item.trip = random.below(3) == 0 || trips.isEmpty ? nil : random.pick(trips)
            item.isDone.toggle()
        case 9:
            if !trips.isEmpty { context.delete(random.pick(trips)) }
        case 10:
            guard !items.isEmpty else { return }
            let item = random.pick(items)
            item.tags = tags.filter { _ in random.below(2) == 0 }
            item.number = random.below(3)
        case 11:
            guard !items.isEmpty else { return }
            random.pick(items).photos = photos.filter { _ in random.below(2) == 0 }
            random.pick(items).friends = items.filter { _ in random.below(3) == 0 }
        case 12:
            guard !items.isEmpty else { return }
            random.pick(items).teachers = items.filter { _ in random.below(3) == 0 }
            random.pick(items).idols = items.filter { _ in random.below(3) == 0 }
        case 13: if !items.isEmpty { context.delete(random.pick(items)) }
        case 14:
            if !tags.isEmpty, random.below(2) == 0 { context.delete(random.pick(tags)) }
            if !tags.isEmpty { random.pick(tags).weight += 1 }
        default: if !photos.isEmpty { context.delete(random.pick(photos)) }
        }
    }
}
