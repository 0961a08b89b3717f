import Chronicle
import Foundation

@Model
final class Trip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var destination: String
    var note: String?

    init(name: String, destination: String) {
        self.name = name
        self.destination = destination
    }
}

let container = try ModelContainer(
    for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
let context = ModelContext(container)
context.author = "app"

let trip = Trip(name: "Honeymoon", destination: "Rome")
context.insert(trip)
try context.save()
let token = try context.currentHistoryToken()

trip.note = "Bring an umbrella"
try context.save()
context.delete(trip)
try context.save()
