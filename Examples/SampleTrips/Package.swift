// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "SampleTrips",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "SampleTrips", targets: ["SampleTrips"]),
        .executable(name: "app", targets: ["app"]),
        .executable(name: "widget", targets: ["widget"]),
        .executable(name: "monitor", targets: ["monitor"]),
        .executable(name: "demo", targets: ["demo"]),
    ],
    traits: [
        .trait(name: "Postgres", description: "Trips in a PostgreSQL database, which requires libpq"),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // By name, so that the folder of the clone may have any name.
        .package(
            name: "chronicle", path: "../..",
            traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["Postgres"]))]),
        .package(name: "JournalStore", path: "../JournalStore"),
    ],
    targets: [
        // The models, their store, and the changes that the app has not displayed yet.
        .target(
            name: "SampleTrips",
            dependencies: [
                .product(name: "Chronicle", package: "chronicle"),
                .product(name: "JournalStore", package: "JournalStore"),
                .product(
                    name: "ChroniclePostgres", package: "chronicle", condition: .when(traits: ["Postgres"])),
            ]),
        .executableTarget(name: "app", dependencies: ["SampleTrips"]),
        .executableTarget(name: "widget", dependencies: ["SampleTrips"]),
        // Each of several processes writes, and displays what the others wrote.
        .executableTarget(name: "monitor", dependencies: ["SampleTrips"]),
        // The whole story, with the other two and the command-line tool as child processes.
        .executableTarget(
            name: "demo",
            dependencies: ["SampleTrips", "app", "widget", .product(name: "chronicle", package: "chronicle")]),
        .testTarget(name: "SampleTripsTests", dependencies: ["SampleTrips", "monitor"]),
    ],
    swiftLanguageModes: [.v6]
)
