import Chronicle
import Foundation

@Model final class Trip {
    var name: String
    var price: Int
    init(name: String, price: Int) { (self.name, self.price) = (name, price) }
}

let store = ModelConfiguration(url: URL(fileURLWithPath: "Trips.store"), preservesValues: true)
let context = ModelContext(try ModelContainer(for: Trip.self, configurations: store))
context.author = "app"
let trip = Trip(name: "Rome", price: 900)
context.insert(trip)
try context.save()
let token = try context.currentHistoryToken()
trip.price = 950
try context.save()

let changes = try context.fetchHistory(.after(token)).flatMap(\.changes)
for case .update(let update as DefaultHistoryUpdate<Trip>) in changes {
    print("price:", update.previousValue(\.price) ?? 0, "->", update.value(\.price) ?? 0)
}
