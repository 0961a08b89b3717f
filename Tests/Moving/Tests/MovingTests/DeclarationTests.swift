import Declarations
import Foundation
import SwiftData
import Testing

@Suite(.serialized) struct DeclarationTests {
    private func context() throws -> ModelContext {
        ModelContext(
            try ModelContainer(
                for: Dish.self, Kitchen.self, Cook.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
            ))
    }

    @Test func propertiesOfEveryForm() throws {
        let context = try context()
        let dish = Dish("Soup", time: 20)
        dish.`default` = true
        dish.servings = 2..<9
        dish.course = .starter
        dish.price = .range(from: 3, to: 4.5)
        dish.addStep("Boil", minutes: 15)
        dish["salt"] = 0.5
        dish.words = ["hot", "red"]
        dish.link = URL(string: "https://example.org/soup")
        dish.scan = Data([1, 2, 3])
        dish.indices = [1]
        dish.properties = ["vegan"]
        dish.rating = 4
        dish.rating = 5
        dish.cache = ["a": 1]
        dish.isSelected = true
        context.insert(dish)
        try context.save()
        #expect(!context.hasChanges)
        let id = dish.id
        let found = try #require(
            try ModelContext(context.container).fetch(
                FetchDescriptor<Dish>(predicate: #Predicate { $0.name == "Soup" })
            )
            .first)
        #expect(found.id == id && found.default && found.servings == 2..<9 && found.course == .starter)
        #expect(found.price == .range(from: 3, to: 4.5) && found.total == 35 && found["salt"] == 0.5)
        #expect(found.words == ["hot", "red"] && found.link?.host == "example.org" && found.scan?.count == 3)
        #expect(found.indices == [1] && found.properties == ["vegan"] && found.entityName == "none")
        #expect(found.rating == 5 && found.revision == 2 && found.cache == nil && !found.isSelected)
        #expect(found.photo == nil && found.version == 2)
        #expect(Schema.entityName(for: Dish.self) == "Dish" && Dish.maximum == 100)
    }

    @Test func relationshipsOfEveryForm() throws {
        let context = try context()
        let kitchen = Kitchen(name: "Blue")
        context.insert(kitchen)
        for name in ["Soup", "Salad"] { kitchen.dishes?.append(Dish(name)) }
        kitchen.menu[0].sides = [kitchen.menu[1]]
        kitchen.menu[1].cook = Cook(name: "Ana")
        try context.save()
        let other = ModelContext(context.container)
        let found = try #require(Kitchen.named("Blue", in: other))
        #expect(found.menu.map(\.name) == ["Salad", "Soup"])
        #expect(found.menu[1].mains?.map(\.name) == ["Salad"] && found.menu[1].cook?.dishes.count == 1)
        try found.rename(to: "Red")
        #expect(found.isInserted && Kitchen.named("Red", in: ModelContext(context.container)) != nil)
        other.delete(found)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Dish>()) == 0)
        #expect(Cook.named("Ana", in: other)?.dishes.isEmpty == true)
    }

    @Test func valuesOfFoundation() throws {
        let context = ModelContext(
            try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let day = Date(timeIntervalSinceReferenceDate: 0)
        let box = Parcel(title: "Box")
        box.weight = Measurement(value: 1.5, unit: .kilograms)
        box.due = DateComponents(year: 2_026, month: 12)
        box.window = DateInterval(start: day, duration: 60)
        box.rows = IndexSet([1, 3])
        box.days = day...day + 5
        box.grid = [[1], [2, 3]]
        box.routes = ["a": ["b", "c"]]
        box.aliases = ["x"]
        box.ratio = 0.5
        box.flags = 255
        box.serial = .max
        box.price = 19.99
        box.kinds = [.cold, .heavy]
        let inner = Parcel(title: "Inner")
        inner.contents = [Parcel(title: "Innermost")]
        box.contents?.append(inner)
        context.insert(box)
        try context.save()

        let other = ModelContext(context.container)
        let sorted = try other.fetch(FetchDescriptor<Parcel>()).sorted { $0.depth < $1.depth }
        #expect(sorted.map(\.title) == ["Box", "Inner", "Innermost"] && sorted[1].slug == "inner")
        let found = sorted[0]
        #expect(found.weight == Measurement(value: 1.5, unit: .kilograms) && found.locale.identifier == "de_AT")
        #expect(found.zone.secondsFromGMT() == 0 && found.due == DateComponents(year: 2_026, month: 12))
        #expect(found.window?.duration == 60 && found.rows == [1, 3])
        #expect(found.days == day...day + 5 && found.grid == [[1], [2, 3]] && found.routes == ["a": ["b", "c"]])
        #expect(found.aliases == ["x"] && found.ratio == 0.5 && found.flags == 255 && found.serial == .max)
        #expect(found.price == 19.99 && found.kinds == [.cold, .heavy])
        other.delete(found)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Parcel>()) == 0)
    }

    @Test func aTypeThatCannotBeStored() throws {
        let error = try #require(throws: SwiftDataError.self) {
            try ModelContainer(for: Swatch.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        }
        #expect("\(error)".contains("ink"))
    }

    @Test func aDeniedDelete() throws {
        let context = try context()
        let kitchen = Kitchen(name: "Blue")
        kitchen.chef = Cook(name: "Ana")
        context.insert(kitchen)
        try context.save()
        context.delete(kitchen)
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        #expect(Kitchen.named("Blue", in: context)?.chef?.name == "Ana")
        kitchen.chef = nil
        context.delete(kitchen)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Kitchen>()) == 0)
    }

    @Test func migrationsWithVariablesAndTrailingClosures() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("Gardens.store")
        do {
            let context = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: GardenSchemaV1.self), configurations: ModelConfiguration(url: url)))
            context.insert(GardenSchemaV1.Garden(name: "north", beds: ["roses", "beans"], isWatered: true))
            context.insert(GardenSchemaV1.Garden(name: "south"))
            context.insert(GardenSchemaV1.CachedImage(data: Data([1])))
            try context.save()
        }
        for _ in 0..<2 {
            let context = ModelContext(try makeGardens(at: url).get())
            let gardens = try context.fetch(FetchDescriptor<Garden>(sortBy: [SortDescriptor(\.name)]))
            #expect(gardens.map(\.name) == ["north", "south"])
            #expect(gardens.map { ($0.planted ?? []).map(\.name).sorted() } == [["beans", "roses"], []])
            #expect(gardens.map { $0.watered?.timeIntervalSinceReferenceDate } == [0, nil])
        }
        #expect(kinds(of: GardenMigrationPlan.self) == ["custom before after", "custom before after"])
    }
}
