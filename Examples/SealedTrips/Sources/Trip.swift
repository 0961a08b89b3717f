import Chronicle

@Model
final class Trip {
    var name: String
    var price: Int

    init(name: String, price: Int) { (self.name, self.price) = (name, price) }
}
