import Chronicle

@Model
final class Trip {
    var name: String
    var destination: String
    var price: Int
    /// The number of changes by this server. A change contains the one on which it is based; see ``TripStore/change(_:_:)``.
    var version = 1

    init(name: String, destination: String, price: Int) {
        self.name = name
        self.destination = destination
        self.price = price
    }
}
