import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataDefinition;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;

/**
 * Anonymises a file with ARX: INPUT OUTPUT K SUPPRESSED HIERARCHIES IDENTIFIER COLUMN ..
 *
 * SUPPRESSED is the largest share of records that may be suppressed; HIERARCHIES is the folder with a file
 * COLUMN.csv for each quasi-identifier, which are named last.
 */
public class Arx {

    public static void main(String[] arguments) throws Exception {
        String input = arguments[0];
        String output = arguments[1];
        ARXConfiguration wanted = ARXConfiguration.create();
        wanted.addPrivacyModel(new KAnonymity(Integer.parseInt(arguments[2])));
        wanted.setSuppressionLimit(Double.parseDouble(arguments[3]));
        File hierarchies = new File(arguments[4]);
        String identifier = arguments[5];
        Set<String> generalised = new HashSet<>(Arrays.asList(arguments).subList(6, arguments.length));

        Data people = Data.create(input, StandardCharsets.UTF_8, ',');
        declare(people, hierarchies, identifier, generalised);
        ARXResult result = new ARXAnonymizer().anonymize(people, wanted);
        DataHandle release = result.getOutput(false);
        if (release == null) {
            System.err.println("ARX found no release.");
            System.exit(3);
        }
        release.save(output, ',');
    }

    private static void declare(Data people, File hierarchies, String identifier, Set<String> generalised)
            throws Exception {
        DataDefinition definition = people.getDefinition();
        DataHandle handle = people.getHandle();
        for (int place = 0; place < handle.getNumColumns(); place++) {
            String column = handle.getAttributeName(place);
            if (generalised.contains(column)) {
                String file = new File(hierarchies, column + ".csv").getPath();
                definition.setAttributeType(column, Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
            } else if (column.equals(identifier)) {
                definition.setAttributeType(column, AttributeType.IDENTIFYING_ATTRIBUTE);
            } else {
                definition.setAttributeType(column, AttributeType.INSENSITIVE_ATTRIBUTE);
            }
        }
    }
}
