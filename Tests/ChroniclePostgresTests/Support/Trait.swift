#if Postgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    extension Trait where Self == ConditionTrait {
        /// Skips a suite or a test if there is no PostgreSQL server to start.
        static var requiresPostgres: Self {
            .enabled("PostgreSQL is needed: sudo apt-get install postgresql libpq-dev") {
                PostgresCluster.unavailability == nil
            }
        }
    }
#endif
