// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "chronicle-benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Seals", description: "The rows of sealed history, which require libcrypto"),
        .default(enabledTraits: ["Seals"]),
    ],
    dependencies: [
        // Named explicitly, because the folder of a clone may have any name.
        .package(
            name: "chronicle", path: "..",
            traits: [.defaults, "Postgres", .trait(name: "Seals", condition: .when(traits: ["Seals"]))])
    ],
    targets: [
        // A separate module for sqlite3.h, so that the baseline shares no code with Chronicle.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // A separate module for libpq-fe.h, for the same reason.
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CSQLite", "CPostgres", .product(name: "Chronicle", package: "chronicle"),
                .product(name: "ChroniclePostgres", package: "chronicle"),
                .product(name: "ChronicleAppleStore", package: "chronicle"),
                .product(name: "ChronicleSeals", package: "chronicle", condition: .when(traits: ["Seals"])),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
