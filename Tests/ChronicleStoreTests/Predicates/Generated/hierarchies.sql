-- with subclasses
SELECT t.* FROM "Vehicle" AS t ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t
SELECT t.* FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi')
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi')
SELECT t.* FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi'
SELECT t."_rowid_" FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi'
SELECT t.* FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') AND (t."owner" = ? OR t."seats" > ?) ORDER BY t."_rowid_"
    3, 4
SELECT count(*) FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') AND (t."owner" = ? OR t."seats" > ?)
    3, 4
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') AND (t."owner" = ? OR t."seats" > ?) ORDER BY t."_rowid_"
    3, 4
DELETE FROM "Vehicle" AS t WHERE (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') AND (t."owner" = ? OR t."seats" > ?)
    3, 4
-- without subclasses
SELECT t.* FROM "Vehicle" AS t WHERE NOT (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi' OR t."chronicle_entity" IS 'Truck') ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE NOT (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi' OR t."chronicle_entity" IS 'Truck')
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE NOT (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi' OR t."chronicle_entity" IS 'Truck') ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE NOT (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi' OR t."chronicle_entity" IS 'Truck')
SELECT t.* FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car'
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car'
SELECT t.* FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi'
SELECT t."_rowid_" FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi'
SELECT t.* FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' AND (t."owner" = ? OR t."seats" > ?) ORDER BY t."_rowid_"
    3, 4
SELECT count(*) FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' AND (t."owner" = ? OR t."seats" > ?)
    3, 4
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' AND (t."owner" = ? OR t."seats" > ?) ORDER BY t."_rowid_"
    3, 4
DELETE FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Car' AND (t."owner" = ? OR t."seats" > ?)
    3, 4
-- casts
SELECT t.* FROM "Vehicle" AS t WHERE ((t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi')) ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE ((t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi'))
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE ((t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi')) ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE ((t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi'))
SELECT t.* FROM "Vehicle" AS t WHERE NOT ((t."chronicle_entity" IS 'Truck')) ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE NOT ((t."chronicle_entity" IS 'Truck'))
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE NOT ((t."chronicle_entity" IS 'Truck')) ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE NOT ((t."chronicle_entity" IS 'Truck'))
SELECT t.* FROM "Vehicle" AS t WHERE CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."seats" END = ? ORDER BY t."_rowid_"
    5
SELECT count(*) FROM "Vehicle" AS t WHERE CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."seats" END = ?
    5
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."seats" END = ? ORDER BY t."_rowid_"
    5
DELETE FROM "Vehicle" AS t WHERE CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."seats" END = ?
    5
SELECT t.* FROM "Vehicle" AS t LEFT JOIN "VehicleOwner" AS j1 ON j1."_rowid_" = CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."owner" END WHERE j1."name" = ? ORDER BY t."_rowid_"
    "x"
SELECT count(*) FROM "Vehicle" AS t LEFT JOIN "VehicleOwner" AS j1 ON j1."_rowid_" = CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."owner" END WHERE j1."name" = ?
    "x"
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t LEFT JOIN "VehicleOwner" AS j1 ON j1."_rowid_" = CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."owner" END WHERE j1."name" = ? ORDER BY t."_rowid_"
    "x"
DELETE FROM "Vehicle" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "Vehicle" AS t LEFT JOIN "VehicleOwner" AS j1 ON j1."_rowid_" = CASE WHEN (t."chronicle_entity" IS 'Car' OR t."chronicle_entity" IS 'Taxi') THEN t."owner" END WHERE j1."name" = ?)
    "x"
SELECT t.* FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE (j1."_rowid_" IS NOT NULL AND j1."chronicle_entity" IS 'Taxi') ORDER BY t."_rowid_"
SELECT count(*) FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE (j1."_rowid_" IS NOT NULL AND j1."chronicle_entity" IS 'Taxi')
SELECT t."_rowid_" FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE (j1."_rowid_" IS NOT NULL AND j1."chronicle_entity" IS 'Taxi') ORDER BY t."_rowid_"
DELETE FROM "VehiclePart" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE (j1."_rowid_" IS NOT NULL AND j1."chronicle_entity" IS 'Taxi'))
SELECT t.* FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE CASE WHEN (j1."chronicle_entity" IS 'Car' OR j1."chronicle_entity" IS 'Taxi') THEN j1."owner" END IS NOT NULL ORDER BY t."_rowid_"
SELECT count(*) FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE CASE WHEN (j1."chronicle_entity" IS 'Car' OR j1."chronicle_entity" IS 'Taxi') THEN j1."owner" END IS NOT NULL
SELECT t."_rowid_" FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE CASE WHEN (j1."chronicle_entity" IS 'Car' OR j1."chronicle_entity" IS 'Taxi') THEN j1."owner" END IS NOT NULL ORDER BY t."_rowid_"
DELETE FROM "VehiclePart" AS t WHERE t."_rowid_" IN (SELECT t."_rowid_" FROM "VehiclePart" AS t LEFT JOIN "Vehicle" AS j1 ON j1."_rowid_" = t."vehicle" WHERE CASE WHEN (j1."chronicle_entity" IS 'Car' OR j1."chronicle_entity" IS 'Taxi') THEN j1."owner" END IS NOT NULL)
SELECT t.* FROM "Vehicle" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle.labels" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."text" = ?) ORDER BY t."_rowid_"
    "x"
SELECT count(*) FROM "Vehicle" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle.labels" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."text" = ?)
    "x"
SELECT t."_rowid_", t."chronicle_entity" FROM "Vehicle" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle.labels" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."text" = ?) ORDER BY t."_rowid_"
    "x"
DELETE FROM "Vehicle" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle.labels" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_" AND e1."text" = ?)
    "x"
SELECT t.* FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' AND (SELECT count(*) FROM "Vehicle.languages" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > (SELECT count(*) FROM "VehiclePart" AS e2 WHERE e2."vehicle" = t."_rowid_") ORDER BY t."_rowid_"
SELECT count(*) FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' AND (SELECT count(*) FROM "Vehicle.languages" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > (SELECT count(*) FROM "VehiclePart" AS e2 WHERE e2."vehicle" = t."_rowid_")
SELECT t."_rowid_" FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' AND (SELECT count(*) FROM "Vehicle.languages" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > (SELECT count(*) FROM "VehiclePart" AS e2 WHERE e2."vehicle" = t."_rowid_") ORDER BY t."_rowid_"
DELETE FROM "Vehicle" AS t WHERE t."chronicle_entity" IS 'Taxi' AND (SELECT count(*) FROM "Vehicle.languages" AS l1 JOIN "VehicleLabel" AS e1 ON e1."_rowid_" = l1.destination WHERE l1.owner = t."_rowid_") > (SELECT count(*) FROM "VehiclePart" AS e2 WHERE e2."vehicle" = t."_rowid_")
SELECT t.* FROM "VehicleOwner" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle" AS e1 WHERE e1."owner" = t."_rowid_" AND (e1."chronicle_entity" IS 'Car' OR e1."chronicle_entity" IS 'Taxi') AND e1."seats" > ?) ORDER BY t."_rowid_"
    2
SELECT count(*) FROM "VehicleOwner" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle" AS e1 WHERE e1."owner" = t."_rowid_" AND (e1."chronicle_entity" IS 'Car' OR e1."chronicle_entity" IS 'Taxi') AND e1."seats" > ?)
    2
SELECT t."_rowid_" FROM "VehicleOwner" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle" AS e1 WHERE e1."owner" = t."_rowid_" AND (e1."chronicle_entity" IS 'Car' OR e1."chronicle_entity" IS 'Taxi') AND e1."seats" > ?) ORDER BY t."_rowid_"
    2
DELETE FROM "VehicleOwner" AS t WHERE EXISTS (SELECT 1 FROM "Vehicle" AS e1 WHERE e1."owner" = t."_rowid_" AND (e1."chronicle_entity" IS 'Car' OR e1."chronicle_entity" IS 'Taxi') AND e1."seats" > ?)
    2
