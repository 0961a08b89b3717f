/// A type of the program, which the printed classes only name.
struct Composite: Codable, Equatable {}
