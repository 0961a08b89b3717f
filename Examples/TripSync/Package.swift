// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "TripSync",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "trip-sync", targets: ["trip-sync"])],
    traits: [
        .trait(name: "Postgres", description: "A hub on PostgreSQL, which requires libpq"),
        .default(enabledTraits: []),
    ],
    dependencies: [
        // By name, so that the folder of the clone may have any name.
        .package(
            name: "chronicle", path: "../..",
            traits: [.defaults, .trait(name: "Postgres", condition: .when(traits: ["Postgres"]))])
    ],
    targets: [
        // The models, and the two consumers that synchronise a device with the hub.
        .target(
            name: "TripSync",
            dependencies: [
                .product(name: "Chronicle", package: "chronicle"),
                .product(
                    name: "ChroniclePostgres", package: "chronicle", condition: .when(traits: ["Postgres"])),
            ]),
        .executableTarget(name: "trip-sync", dependencies: ["TripSync"]),
        // A device that edits and synchronises until the tests kill it.
        .executableTarget(
            name: "TripSyncWorker", dependencies: ["TripSync", "TripSyncTestSupport"], path: "Tests/Worker"),
        .target(name: "TripSyncTestSupport", dependencies: ["TripSync"], path: "Tests/Support"),
        .testTarget(
            name: "TripSyncTests", dependencies: ["TripSync", "TripSyncTestSupport", "TripSyncWorker", "trip-sync"]),
    ],
    swiftLanguageModes: [.v6]
)
