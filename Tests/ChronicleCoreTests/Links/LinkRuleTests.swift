import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Links declared as in SwiftData, with counts and delete rules.
@Suite struct LinkRuleTests {
    @Test(arguments: StoreKind.allCases) func countsApplyToMacroModels(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Recipe.self, Cook.self])
        let context = store.context()
        let (flour, salt) = (Ingredient("flour"), Ingredient("salt"))
        let bread = Recipe("bread", [flour, salt])
        bread.pictures.append(Picture("loaf"))
        let soup = Recipe("soup", [salt])
        for recipe in [bread, soup] { context.insert(recipe) }
        let (ann, bob) = (Cook("Ann"), Cook("Bob"))
        ann.friends.append(bob)
        bob.admired = [ann]
        context.insert(ann)
        try context.save()
        let reader = store.context()
        let found = try reader.fetch(FetchDescriptor<Ingredient>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map { $0.recipes.map(\.name).sorted() } == [["bread"], ["bread", "soup"]])
        let cooks = try reader.fetch(FetchDescriptor<Cook>(sortBy: [SortDescriptor(\.name)]))
        #expect(cooks.map { $0.friends.map(\.name) } == [["Bob"], ["Ann"]])
        #expect(cooks.map { $0.admired?.map(\.name) } == [[], ["Ann"]])
        context.delete(bread)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Picture>()) == 0)
        #expect(salt.recipes.map(\.name) == ["soup"])
    }

    @Test(arguments: StoreKind.allCases) func saveValidatesLinkCounts(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Team.self])
        let context = store.context()
        let players = ["a", "b", "c"].map { Player($0) }
        let team = Team("team")
        context.insert(team)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        team.players = [players[0]]
        try context.save()
        team.players = players
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        players[2].teams = []
        try context.save()
        // From the other side, and by deleting.
        players[0].teams = []
        try context.save()
        let error = try failure {
            players[1].teams.removeAll()
            try context.save()
        }
        #expect(error?.entityName == "Team" && error?.propertyName == "players")
        context.rollback()
        context.delete(players[1])
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.rollback()
        context.delete(team)
        context.delete(players[1])
        try context.save()
    }

    @Test(arguments: StoreKind.allCases) func linksDenyTheDelete(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [Coach.self])
        let context = store.context()
        let (coach, player) = (Coach("c"), Player("a"))
        coach.trainees = [player]
        context.insert(coach)
        try context.save()
        context.delete(coach)
        let error = try failure { try context.save() }
        #expect(error == .deleteDenied && error?.entityName == "Coach" && error?.propertyName == "trainees")
        context.rollback()
        #expect(coach.trainees.map(\.name) == ["a"])
        #expect(throws: SwiftDataError.deleteDenied) { try context.delete(model: Coach.self) }
        // Both can be deleted together.
        context.delete(player)
        context.delete(coach)
        try context.save()
        #expect(try store.number("SELECT count(*) FROM \"Coach.trainees\"") == 0)
    }
}

@Model
private final class Recipe {
    var name: String
    var ingredients: [Ingredient]
    @Relationship(deleteRule: .cascade) var pictures: [Picture] = []

    init(_ name: String, _ ingredients: [Ingredient]) {
        self.name = name
        self.ingredients = ingredients
    }
}

@Model
private final class Ingredient {
    var name: String
    var recipes: [Recipe] = []

    init(_ name: String) { self.name = name }
}

@Model
private final class Picture {
    var name: String

    init(_ name: String) { self.name = name }
}

@Model
private final class Cook {
    var name: String
    @Relationship(inverse: Cook.mutual) var friends: [Cook] = []
    var admired: [Cook]?
    static var mutual: AnyKeyPath { \Cook.friends }

    init(_ name: String) { self.name = name }
}

@Model
private final class Team {
    var name: String
    @Relationship(minimumModelCount: 1, maximumModelCount: 2) var players: [Player] = []

    init(_ name: String) { self.name = name }
}

@Model
private final class Player {
    var name: String
    var teams: [Team] = []

    init(_ name: String) { self.name = name }
}

@Model
private final class Coach {
    var name: String
    @Relationship(deleteRule: .deny) var trainees: [Player] = []

    init(_ name: String) { self.name = name }
}
