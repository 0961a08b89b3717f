import Foundation
import SwiftData
import Testing
import Tracking

/// A tracker that uploads the changes of this device.
@Suite struct TrackingTests {
    @Test(arguments: [true, false]) func changesAreUploadedOnce(inMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let configuration =
            inMemory
            ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.file("Recipes.store"))
        let container = try ModelContainer(for: Recipe.self, configurations: configuration)
        let tracker = ChangeTracker(container: container, tokens: TokenStore(url: folder.file("token.json")))
        let app = ModelContext(container)
        let server = ModelContext(container)
        server.author = ChangeTracker.serverAuthor

        let soup = Recipe(remoteID: "1", name: "Soup")
        app.insert(soup)
        try app.save()
        server.insert(Recipe(remoteID: "2", name: "Bread"))
        try server.save()
        #expect(try tracker.uploads() == [.add("1")])
        #expect(try tracker.uploads() == [])

        soup.name = "Tomato soup"
        soup.ingredients.append("Tomatoes")
        try app.save()
        try app.delete(model: Recipe.self, where: #Predicate { $0.remoteID == "2" })
        try app.save()
        #expect(try tracker.uploads() == [.change("1", ["name", "ingredients"]), .remove("2")])

        // Another process removed the history up to the last change.
        soup.portions = 4
        try app.save()
        try tracker.removeHistory()
        #expect(try tracker.uploads() == [.change("1", ["portions"])])
    }
}
