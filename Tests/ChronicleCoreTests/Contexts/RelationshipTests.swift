import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Both sides of a relationship agree before the save, after it, and when they are fetched again.
@Suite struct RelationshipTests {
    @Test(arguments: StoreKind.allCases)
    func bothSidesAgreeInMemory(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        let (rome, oslo) = (Trip(name: "Rome", destination: ""), Trip(name: "Oslo", destination: ""))
        let item = BucketListItem(title: "walk")
        context.insert(rome)
        context.insert(oslo)
        item.trip = rome
        context.insert(item)
        #expect(rome.bucketList.map(\.title) == ["walk"])
        item.trip = oslo
        #expect(rome.bucketList.isEmpty)
        #expect(oslo.bucketList.first === item)
        rome.bucketList = [item]
        #expect(item.trip === rome)
        #expect(oslo.bucketList.isEmpty)
        rome.bucketList.append(BucketListItem(title: "eat"))
        #expect(rome.bucketList[1].trip === rome)
        rome.bucketList.removeFirst()
        #expect(item.trip == nil)
        item.trip = nil
        try context.save()
        #expect(rome.bucketList.map(\.title) == ["eat"])
    }

    @Test(arguments: StoreKind.allCases)
    func oneToOneMovesOnBothSides(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let (rome, oslo) = (Trip(name: "Rome", destination: ""), Trip(name: "Oslo", destination: ""))
        let (hotel, tent) = (LivingAccommodation(placeName: "hotel"), LivingAccommodation(placeName: "tent"))
        context.insert(rome)
        context.insert(oslo)
        rome.livingAccommodation = hotel
        #expect(hotel.trip === rome)
        tent.trip = oslo
        context.insert(tent)
        #expect(oslo.livingAccommodation === tent)
        try context.save()
        oslo.livingAccommodation = hotel
        #expect(rome.livingAccommodation == nil && tent.trip == nil && hotel.trip === oslo)
        try context.save()
        let other = store.context()
        let trips = try other.fetch(FetchDescriptor<Trip>())
        #expect(trips.map { $0.livingAccommodation?.placeName } == [nil, "hotel"])
        #expect(trips[1].livingAccommodation?.trip === trips[1])
        #expect(try other.fetch(FetchDescriptor<LivingAccommodation>()).first { $0.placeName == "tent" }?.trip == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func insertingAModelInsertsRelatedModels(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        trip.bucketList = [BucketListItem(title: "a"), BucketListItem(title: "b")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        context.insert(trip)
        #expect(context.insertedModelsArray.count == 4)
        #expect(trip.bucketList.allSatisfy { $0.trip === trip })
        try context.save()
        let other = store.context()
        let read = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(read.bucketList.map(\.title) == ["a", "b"])
        #expect(read.livingAccommodation?.trip === read)
    }

    @Test(arguments: StoreKind.allCases)
    func deletesCascadeOrNullify(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "")
        trip.bucketList = [BucketListItem(title: "a"), BucketListItem(title: "b")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        context.insert(trip)
        try context.save()

        let other = store.context()
        let item = try #require(try other.fetch(FetchDescriptor<BucketListItem>()).first)
        let parent = try #require(item.trip)
        #expect(parent.bucketList.count == 2)
        other.delete(item)
        #expect(parent.bucketList.count == 1)
        try #require(parent.livingAccommodation).trip = nil
        #expect(parent.livingAccommodation == nil)
        try other.save()
        other.delete(parent)
        #expect(other.deletedModelsArray.count == 2)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
        #expect(try other.fetch(FetchDescriptor<LivingAccommodation>()).map(\.placeName) == ["hotel"])
    }

    @Test(arguments: StoreKind.allCases)
    func deletesCascadeToUnloadedRows(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (a, b) = (store.context(), store.context())
        let trip = Trip(name: "Rome", destination: "")
        a.insert(trip)
        try a.save()
        #expect(trip.bucketList.isEmpty)
        let item = BucketListItem(title: "late")
        b.insert(item)
        item.trip = try b.fetch(FetchDescriptor<Trip>()).first
        #expect(item.trip != nil)
        try b.save()
        a.delete(trip)
        try a.save()
        #expect(try store.context().fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func movedItemIsNotDeletedWithItsFormerTrip(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let (rome, oslo) = (Trip(name: "Rome", destination: ""), Trip(name: "Oslo", destination: ""))
        let item = BucketListItem(title: "walk")
        rome.bucketList = [item]
        context.insert(rome)
        context.insert(oslo)
        try context.save()
        item.trip = oslo
        context.delete(rome)
        try context.save()
        let other = store.context()
        let read = try #require(try other.fetch(FetchDescriptor<BucketListItem>()).first)
        #expect(read.trip?.name == "Oslo")
    }

    @Test(arguments: StoreKind.allCases)
    func fetchRefreshesAListChangedByAnotherContext(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (a, b) = (store.context(), store.context())
        let trip = Trip(name: "Rome", destination: "")
        a.insert(trip)
        try a.save()
        #expect(trip.bucketList.isEmpty)
        let theirs = try #require(try b.fetch(FetchDescriptor<Trip>()).first)
        theirs.bucketList = [BucketListItem(title: "theirs")]
        try b.save()
        let mine = BucketListItem(title: "mine")
        mine.trip = trip
        a.insert(mine)
        _ = try a.fetch(FetchDescriptor<Trip>())
        #expect(trip.bucketList.map(\.title) == ["theirs", "mine"])
    }

    @Test func relatedModelsDoNotRetainEachOther() throws {
        let store = try TestStore(.inMemory)
        weak var trip: Trip?
        weak var item: BucketListItem?
        do {
            let context = store.context()
            let new = Trip(name: "Rome", destination: "")
            new.bucketList = [BucketListItem(title: "a")]
            new.livingAccommodation = LivingAccommodation(placeName: "hotel")
            context.insert(new)
            #expect(new.bucketList[0].trip?.livingAccommodation?.trip === new)
            try context.save()
            (trip, item) = (new, new.bucketList[0])
            #expect(item?.trip === trip)
        }
        #expect(trip == nil && item == nil)
    }
}
